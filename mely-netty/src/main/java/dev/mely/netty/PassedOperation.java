package dev.mely.netty;

import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.ChannelPromise;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Another operation of a handler behind, or of the program, which passes the off-loaded handlers.
 *
 * @param inside what it is for the handlers' pipeline
 * @param past what it is for the channel, where the handlers can no longer be asked
 */
record PassedOperation(
    Offloaded owner,
    ChannelPromise promise,
    BiFunction<ChannelPipeline, ChannelPromise, ChannelFuture> inside,
    Function<ChannelPromise, ChannelFuture> past)
    implements Consumer<ChannelPipeline> {
  @Override
  public void accept(ChannelPipeline inner) {
    ChannelFuture unused = inside.apply(inner, owner.innerPromise(promise));
  }

  /** Past the handlers: what is to be closed must be closed. */
  void drop() {
    try {
      Outbound.execute(
          owner.outbound().context().channel().eventLoop(),
          () -> {
            ChannelFuture unused = past.apply(promise);
          });
    } catch (RejectedExecutionException e) {
      promise.tryFailure(e);
    }
  }
}
