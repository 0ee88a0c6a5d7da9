package dev.mely.examples.echo;

import dev.mely.examples.service.Connection;
import dev.mely.examples.service.Protocol;
import dev.mely.examples.service.Session;
import java.nio.ByteBuffer;

/**
 * Sends back what it gets. A connection is a color, and nothing is shared. From a client that does
 * not take what comes back nothing more is read.
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

  private record Echo(Connection connection) implements Session {
    @Override
    public void received(ByteBuffer bytes) {
      connection.send(ByteBuffer.allocate(bytes.remaining()).put(bytes).flip());
      if (connection.unsent() > MAX_UNSENT) {
        connection.pause();
      }
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
