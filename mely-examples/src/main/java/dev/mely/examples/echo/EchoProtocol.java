package dev.mely.examples.echo;

import dev.mely.examples.service.Connection;
import dev.mely.examples.service.Http;
import dev.mely.examples.service.Protocol;
import dev.mely.examples.service.Session;
import java.nio.ByteBuffer;

/**
 * Sends back every byte. A connection is a color; connections share nothing. The server stops
 * reading from a client that does not read its answers. A connection that begins with an HTTP
 * request line is closed: a web page could otherwise have its own text served back as a page of
 * this server.
 */
public final class EchoProtocol implements Protocol {
  /** Above this many unsent bytes, the server stops reading. */
  private static final int MAX_UNSENT = 64 * 1024;

  /** Makes a protocol for any number of connections. */
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
