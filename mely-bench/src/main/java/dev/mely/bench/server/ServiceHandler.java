package dev.mely.bench.server;

import dev.mely.bench.Work;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;

/** Answers frames; computes before the answer to a busy or medium one. */
@SuppressWarnings("FutureReturnValueIgnored") // the void promise reports failures to the pipeline
final class ServiceHandler extends LeavingHandler {
  private static final int BUSY_ITERATIONS = Work.iterations(Frame.BUSY_NANOS);

  private static final int MEDIUM_ITERATIONS = Work.iterations(Frame.MEDIUM_NANOS);

  private long result = 1;

  /** Calibrates the work before the first request. */
  static void prepare() {
    Work.spin(BUSY_ITERATIONS, 1);
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    ByteBuf frame = (ByteBuf) message;
    byte kind = frame.getByte(frame.readerIndex());
    if (kind != Frame.LIGHT) {
      result = Work.spin(kind == Frame.BUSY ? BUSY_ITERATIONS : MEDIUM_ITERATIONS, result);
      frame.setLong(frame.readerIndex() + Frame.BYTES - Long.BYTES, result);
    }
    ctx.writeAndFlush(frame, ctx.voidPromise());
  }
}
