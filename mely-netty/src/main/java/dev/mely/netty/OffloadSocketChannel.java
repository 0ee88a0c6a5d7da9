package dev.mely.netty;

import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.SocketChannelConfig;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/** A TCP socket as its off-loaded handlers see it. */
final class OffloadSocketChannel extends OffloadDuplexChannel implements SocketChannel {
  private final SocketChannel real;

  OffloadSocketChannel(SocketChannel real, OffloadLoop loop, Outbound outbound) {
    super(real, loop, outbound);
    this.real = real;
  }

  @Override
  public @Nullable ServerSocketChannel parent() {
    return real.parent();
  }

  @Override
  public SocketChannelConfig config() {
    return real.config();
  }

  @Override
  public @Nullable InetSocketAddress localAddress() {
    return real.localAddress();
  }

  @Override
  public @Nullable InetSocketAddress remoteAddress() {
    return real.remoteAddress();
  }
}
