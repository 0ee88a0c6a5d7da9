package dev.mely.examples.echo;

import dev.mely.examples.service.Connection;
import dev.mely.examples.service.Http;
import dev.mely.examples.service.Protocol;
import dev.mely.examples.service.Session;
import java.nio.ByteBuffer;

/**
 * Sends back what it gets. A connection is a color, and nothing is shared. From a client that does
 * not take what comes back nothing more is read. A connection that begins with the first line of an
 * HTTP request ends, so that no web page gets its own words back as a page of this server.
 */
public final class EchoProtocol implements Protocol {
  /** Above so many unsent bytes nothing is read. */
  private static final int MAX_UNSENT = 64 * 1024;

  /** Made once for all connections. */
  public EchoProtocol() {}

  @Override
  public Session open(Connection connection) {
    return new Echo(connection);
  }

  private static final class Echo implements Session {
    private final Connection connection;
    private boolean begun;

    Echo(Connection connection) {
      this.connection = connection;
    }

    @Override
    public void received(ByteBuffer bytes) {
      byte[] copy = new byte[bytes.remaining()];
      bytes.get(copy);
      if (!begun && beginsWithHttp(copy)) {
        connection.finish();
        return;
      }
      begun = true;
      connection.send(ByteBuffer.wrap(copy));
      if (connection.unsent() > MAX_UNSENT) {
        connection.pause();
      }
    }

    /** A browser sends its header in one piece. */
    private static boolean beginsWithHttp(byte[] first) {
      int end = 0;
      while (end < first.length && first[end] != '\n') {
        end++;
      }
      return Http.isLine(first, 0, end);
    }

    @Override
    public void drained() {
      connection.resume();
    }

    @Override
    public void ended() {
      connection.finish();
    }
  }
}
