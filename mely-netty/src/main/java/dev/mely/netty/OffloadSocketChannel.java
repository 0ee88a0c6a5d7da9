package dev.mely.netty;

import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelPromise;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.SocketChannelConfig;
import java.net.InetSocketAddress;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A socket as its off-loaded handlers see it. Half-closes keep their order among the writes. */
final class OffloadSocketChannel extends OffloadChannel implements SocketChannel {
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

  @Override
  public boolean isInputShutdown() {
    return real.isInputShutdown();
  }

  @Override
  public ChannelFuture shutdownInput() {
    return shutdownInput(newPromise());
  }

  @Override
  public ChannelFuture shutdownInput(ChannelPromise promise) {
    return inOrder(promise, real::shutdownInput);
  }

  @Override
  public boolean isOutputShutdown() {
    return real.isOutputShutdown();
  }

  @Override
  public ChannelFuture shutdownOutput() {
    return shutdownOutput(newPromise());
  }

  @Override
  public ChannelFuture shutdownOutput(ChannelPromise promise) {
    return inOrder(promise, real::shutdownOutput);
  }

  @Override
  public boolean isShutdown() {
    return real.isShutdown();
  }

  @Override
  public ChannelFuture shutdown() {
    return shutdown(newPromise());
  }

  @Override
  public ChannelFuture shutdown(ChannelPromise promise) {
    return inOrder(promise, real::shutdown);
  }

  private ChannelFuture inOrder(
      ChannelPromise promise, Function<ChannelPromise, ChannelFuture> operation) {
    Runnable call = () -> perform(promise, (ctx, p) -> operation.apply(p));
    if (eventLoop().inEventLoop()) {
      call.run();
    } else {
      eventLoop().execute(call);
    }
    return promise;
  }
}
