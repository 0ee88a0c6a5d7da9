package dev.mely.netty;

import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.ChannelPromise;
import io.netty.util.ReferenceCountUtil;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;

/** A write of a handler behind, or of the program, which passes the off-loaded handlers. */
record PassedWrite(Offloaded owner, Object message, ChannelPromise promise, int size)
    implements Consumer<ChannelPipeline> {
  @Override
  public void accept(ChannelPipeline inner) {
    leave();
    if (promise.isVoid() || !promise.isDone()) {
      ChannelFuture unused = inner.write(message, owner.innerPromise(promise));
    } else {
      ReferenceCountUtil.safeRelease(message); // it has been cancelled
    }
  }

  /** It is not on its way any more. */
  private void leave() {
    if (owner.passed().remove(size)) {
      owner.outbound().call(owner.passed()::settle);
    }
  }

  void drop() {
    leave();
    ReferenceCountUtil.safeRelease(message);
    if (!promise.isVoid()) {
      promise.tryFailure(new RejectedExecutionException("the runtime has ended"));
    }
  }
}
