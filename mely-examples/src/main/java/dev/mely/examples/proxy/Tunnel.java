package dev.mely.examples.proxy;

import dev.mely.Handler;
import dev.mely.examples.service.CoreConnection;
import dev.mely.nio.Nio;
import dev.mely.nio.Source;
import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What CONNECT asks for: bytes in both directions, none of which is looked at. When one side breaks
 * off, so does the other. Belongs to the color of the client's connection.
 */
final class Tunnel implements Dial.Listener {
  private static final Logger LOG = LoggerFactory.getLogger(Tunnel.class);
  private static final Handler<Tunnel> READ =
      Handler.of((Tunnel t) -> t.step(t::readOrigin)).named("TunnelRead");
  private static final Handler<Tunnel> DRAINED =
      Handler.of((Tunnel t) -> t.step(Objects.requireNonNull(t.up)::drained))
          .named("TunnelDrained");

  /** A step of one of the two directions. */
  private interface Step {
    void run() throws IOException;
  }

  private final ProxyServer server;
  private final ProxyConnection connection;
  private final Target target;
  private final Dial dial;

  /** All four are null as long as there is no connection to the origin. */
  private @Nullable SocketChannel channel;

  private @Nullable Source in;
  private @Nullable Pipe up;
  private @Nullable Pipe down;
  private boolean closed;

  Tunnel(ProxyServer server, ProxyConnection connection, Target target) {
    this.server = server;
    this.connection = connection;
    this.target = target;
    dial = new Dial(server, connection, target, this);
  }

  void start() {
    if (server.config.connectPorts.contains(target.port())) {
      dial.start();
    } else {
      failed(new Failure(403, "Nobody is connected to port " + target.port() + " here."));
    }
  }

  @Override
  public void connected(SocketChannel made) {
    channel = made;
    step(() -> open(made));
  }

  private void open(SocketChannel made) throws IOException {
    made.setOption(StandardSocketOptions.TCP_NODELAY, true);
    Nio nio = connection.nio();
    Source input = nio.readable(made, connection.color(), READ, this);
    Pipe toClient = connection.pipeFrom(input);
    Pipe toOrigin = connection.pipeTo(made, nio.output(made, connection.color(), DRAINED, this));
    in = input;
    down = toClient;
    up = toOrigin;
    toClient.take(ByteBuffer.wrap(Replies.CONTINUE_TUNNEL));
    toOrigin.take(connection.rest());
    if (connection.hasEnded()) {
      toOrigin.end();
    }
  }

  private void readOrigin() throws IOException {
    Pipe toClient = Objects.requireNonNull(down);
    ByteBuffer bytes = CoreConnection.read(Objects.requireNonNull(channel));
    if (bytes == null) {
      Objects.requireNonNull(in).cancel();
      toClient.end();
    } else {
      toClient.take(bytes);
    }
  }

  @Override
  public void failed(Failure failure) {
    connection.refuse(failure, false);
  }

  /** The client has sent something. */
  void clientSent(ByteBuffer bytes) {
    step(() -> Objects.requireNonNull(up).take(bytes));
  }

  /** The client has ended its output. */
  void clientEnded() {
    step(Objects.requireNonNull(up)::end);
  }

  /** The client has taken what waited for it. */
  void clientDrained() {
    if (down != null) {
      step(down::drained);
    }
  }

  private void step(Step step) {
    if (closed) {
      return;
    }
    connection.guarded(
        () -> {
          try {
            step.run();
            if (up != null && down != null && up.isOver() && down.isOver()) {
              connection.abort();
            }
          } catch (IOException e) {
            LOG.debug("a tunnel broke", e);
            connection.reset();
          }
        });
  }

  /** Counts what has gone through; changes as long as there is life in it. */
  long moved() {
    return up == null || down == null ? 0 : up.moved() + down.moved();
  }

  /** Whether there is a connection to the origin. */
  boolean isOpen() {
    return up != null;
  }

  /** Ends the origin's side; with a reset if the other one has not ended well. */
  void close(boolean reset) {
    if (closed) {
      return;
    }
    closed = true;
    dial.cancel();
    if (channel != null) {
      CoreConnection.close(connection.nio(), channel, reset);
    }
  }
}
