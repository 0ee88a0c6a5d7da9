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

/** A connection on its way. Whatever ends it other than success closes the channel. */
final class Connect extends OperationEvent<SocketChannel> {
  private static final Handler<Connect> FINISH = Handler.of(Connect::finish);

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
    this.connectable = new Readiness<>(mely, key, SelectionKey.OP_CONNECT, color, FINISH, this);
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
    } catch (RuntimeException e) {
      connectable.cancel();
      throw e;
    }
  }

  /** In the color: the selector says that the connection has come about, or has failed. */
  private void finish() {
    try {
      if (channel.finishConnect()) {
        connected();
      }
    } catch (IOException e) {
      failed(e);
    }
  }

  private void connected() {
    connectable.cancel();
    complete(channel);
  }

  private void failed(IOException why) {
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
    } catch (IOException e) {
      // The reason why it is closed is more telling.
    }
    key.releaseIfClosed();
  }
}
