package dev.mely.bench.server;

import dev.mely.bench.Work;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import java.util.function.LongSupplier;

/**
 * The atomic counter of the Eve paper: each input byte is an operation, {@link #READ} or {@link
 * #INCREMENT}, answered with the counter's value after it, in 8 bytes.
 */
@ChannelHandler.Sharable
@SuppressWarnings("FutureReturnValueIgnored") // the void promise reports failures to the pipeline
final class CounterHandler extends LeavingHandler {
  static final byte READ = 0;
  static final byte INCREMENT = 1;

  /** System property of the server: computation per operation, in nanoseconds. */
  static final String WORK_PROPERTY = "mely.bench.operationNanos";

  private static final long WORK_NANOS = Long.getLong(WORK_PROPERTY, 0);
  private static final int WORK = WORK_NANOS == 0 ? 0 : Work.iterations(WORK_NANOS);

  private final LongSupplier read;
  private final LongSupplier increment;

  /** Counts with two functions, which are called by all threads that run the handler. */
  CounterHandler(LongSupplier read, LongSupplier increment) {
    this.read = read;
    this.increment = increment;
  }

  /** Counts with a plain variable; one executor must run it for all connections. */
  static CounterHandler unshared() {
    long[] value = {0};
    return new CounterHandler(() -> value[0], () -> ++value[0]);
  }

  /** Computes for the duration of an operation; returns the argument. */
  static long worked(long value) {
    return WORK == 0 || Work.spin(WORK, value) != Long.MIN_VALUE ? value : 0;
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    ByteBuf operations = (ByteBuf) message;
    ByteBuf answers = ctx.alloc().buffer(operations.readableBytes() * Long.BYTES);
    while (operations.isReadable()) {
      answers.writeLong(
          worked(operations.readByte() == INCREMENT ? increment.getAsLong() : read.getAsLong()));
    }
    operations.release();
    ctx.writeAndFlush(answers, ctx.voidPromise());
  }
}
