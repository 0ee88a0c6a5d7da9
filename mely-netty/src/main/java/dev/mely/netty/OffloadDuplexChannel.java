package dev.mely.netty;

import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelPromise;
import io.netty.channel.socket.DuplexChannel;
import java.util.function.Function;

/**
 * A channel that can be closed by halves, as its off-loaded handlers see it. Half-closes keep their
 * order among the writes.
 */
class OffloadDuplexChannel extends OffloadChannel implements DuplexChannel {
  private final DuplexChannel real;

  OffloadDuplexChannel(DuplexChannel real, OffloadLoop loop, Outbound outbound) {
    super(real, loop, outbound);
    this.real = real;
  }

  @Override
  public final boolean isInputShutdown() {
    return real.isInputShutdown();
  }

  @Override
  public final ChannelFuture shutdownInput() {
    return shutdownInput(newPromise());
  }

  @Override
  public final ChannelFuture shutdownInput(ChannelPromise promise) {
    return inOrder(promise, real::shutdownInput);
  }

  @Override
  public final boolean isOutputShutdown() {
    return real.isOutputShutdown();
  }

  @Override
  public final ChannelFuture shutdownOutput() {
    return shutdownOutput(newPromise());
  }

  @Override
  public final ChannelFuture shutdownOutput(ChannelPromise promise) {
    return inOrder(promise, real::shutdownOutput);
  }

  @Override
  public final boolean isShutdown() {
    return real.isShutdown();
  }

  @Override
  public final ChannelFuture shutdown() {
    return shutdown(newPromise());
  }

  @Override
  public final ChannelFuture shutdown(ChannelPromise promise) {
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
