package dev.mely.examples.proxy;

import dev.mely.Handler;
import dev.mely.nio.Nio;
import dev.mely.nio.Output;
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
      Handler.named("TunnelRead", t -> t.step(Objects.requireNonNull(t.down)::read));
  private static final Handler<Tunnel> DRAINED =
      Handler.named("TunnelDrained", t -> t.step(Objects.requireNonNull(t.up)::drained));

  /** A step of one of the two directions. */
  private interface Step {
    void run() throws IOException;
  }

  private final ProxyServer server;
  private final Nio nio;
  private final ProxyConnection connection;
  private final Target target;
  private final Dial dial;
  private @Nullable SocketChannel channel;

  /** To the origin, and to the client; null: there is no connection yet. */
  private @Nullable Pipe up;

  private @Nullable Pipe down;
  private boolean closed;

  Tunnel(ProxyServer server, ProxyConnection connection, Target target) {
    this.server = server;
    nio = server.nio();
    this.connection = connection;
    this.target = target;
    dial = new Dial(server, connection, target, this);
  }

  void start() {
    if (server.config().connectPorts().contains(target.port())) {
      dial.start();
    } else {
      failed(Failure.forbidden("Nobody is connected to port " + target.port() + " here."));
    }
  }

  @Override
  public void connected(SocketChannel made) {
    channel = made;
    step(() -> open(made));
  }

  private void open(SocketChannel made) throws IOException {
    made.setOption(StandardSocketOptions.TCP_NODELAY, true);
    Source in = nio.readable(made, connection.color(), READ, this);
    Output out = nio.output(made, connection.color(), DRAINED, this);
    Pipe toOrigin = connection.pipeTo(made, out);
    Pipe toClient = connection.pipeFrom(made, in);
    up = toOrigin;
    down = toClient;
    toClient.start(ByteBuffer.wrap(Replies.CONTINUE_TUNNEL), false);
    toOrigin.start(connection.rest(), connection.isInputOver());
  }

  @Override
  public void failed(Failure failure) {
    connection.refuse(failure, false);
  }

  @Override
  public void guarded(Runnable step) {
    connection.guarded(step);
  }

  /** The client has sent something. */
  void clientReadable() {
    step(Objects.requireNonNull(up)::read);
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
              connection.close();
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
      Sockets.close(nio, channel, reset);
    }
  }
}
