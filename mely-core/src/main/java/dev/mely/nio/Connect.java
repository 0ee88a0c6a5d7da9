package dev.mely.nio;

import dev.mely.Color;
import dev.mely.Handler;
import dev.mely.Mely;
import java.io.IOException;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;

/** A connection on its way. Any end but success closes the channel. */
final class Connect extends StartedOperation<SocketChannel> {
  private static final Handler<Connect> FINISH = new Finish();

  private final SocketChannel channel;
  private final ChannelKey key;
  private final ChannelSource connectable;

  Connect(
      Mely mely,
      Color color,
      Handler<? super Operation<SocketChannel>> user,
      SocketChannel channel,
      ChannelKey key) {
    super(mely, color, user);
    this.channel = channel;
    this.key = key;
    this.connectable = new Connectable(mely, key, color);
  }

  /** Opens a channel of the right kind. */
  static SocketChannel open(SocketAddress remote) throws IOException {
    SocketChannel channel =
        remote instanceof UnixDomainSocketAddress
            ? SocketChannel.open(StandardProtocolFamily.UNIX)
            : SocketChannel.open();
    channel.configureBlocking(false);
    return channel;
  }

  /** Begins. Throws what says that the arguments are wrong; failures of the network come later. */
  void start(SocketAddress remote) {
    key.add(connectable);
    try {
      if (channel.connect(remote)) {
        connected();
      } else {
        connectable.resume();
      }
    } catch (IOException e) {
      failed(e);
    } catch (Throwable t) {
      connectable.cancel();
      throw t;
    }
  }

  /** In the color: the connection has come about, or has failed, or its channel is closed. */
  private void finish() {
    if (isDone()) {
      return;
    }
    try {
      if (channel.finishConnect()) {
        connected();
      }
    } catch (Throwable t) {
      failed(t); // whose get() throws it again, errors included
    }
  }

  private void connected() {
    connectable.cancel();
    complete(channel);
  }

  private void failed(Throwable why) {
    close();
    fail(why);
  }

  @Override
  void abort() {
    close();
  }

  private void close() {
    connectable.cancel();
    try {
      channel.close();
    } catch (Throwable t) {
      // The reason why it is closed is more telling.
    }
    key.releaseIfClosed();
  }

  /** Tells that the connection has come about, or failed. */
  private final class Connectable extends ChannelSource {
    Connectable(Mely mely, ChannelKey key, Color color) {
      super(mely, key, SelectionKey.OP_CONNECT, color, FINISH);
    }

    @Override
    void serve() {
      finish();
    }

    /** The selector will not say so: a closed channel leaves it in silence. */
    @Override
    void closed() {
      try {
        mely().schedule(color(), FINISH, Connect.this, Duration.ZERO); // finds room, unlike events
      } catch (RejectedExecutionException e) {
        // The runtime is shutting down.
      } catch (Throwable t) {
        failed(t);
      }
    }
  }

  /** Ends a connection, in its color. */
  private static final class Finish extends Handler<Connect> {
    @Override
    public void handle(Connect connect) {
      connect.finish();
    }

    @Override
    protected void rejected(Connect connect) {
      connect.finish(); // on which thread does not matter: the first end counts
    }
  }
}
