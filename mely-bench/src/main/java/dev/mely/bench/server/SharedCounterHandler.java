package dev.mely.bench.server;

import dev.mely.Color;
import dev.mely.Mely;
import dev.mely.Permissions;
import dev.mely.netty.MelyEventLoopGroup;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.EventLoopGroup;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.StampedLock;

/**
 * A connection of the atomic counter whose reads run in parallel with those of other connections:
 * on Mely with a permission to read the counter's color, on Netty's own group under a {@link
 * StampedLock}. Operations of one connection run one after the other.
 */
@SuppressWarnings("FutureReturnValueIgnored") // the void promise reports failures to the pipeline
final class SharedCounterHandler extends LeavingHandler {
  /** The counter, shared by all connections. */
  static final class Counter {
    private final Executor reads;
    private final Executor writes;

    /** Read and written only by tasks of the two executors. */
    private long value;

    private Counter(Executor reads, Executor writes) {
      this.reads = reads;
      this.writes = writes;
    }

    static Counter on(EventLoopGroup group) {
      if (group instanceof MelyEventLoopGroup loops) {
        Mely mely = loops.mely();
        Color color = mely.newColor();
        return new Counter(mely.executor(Permissions.read(color)), mely.executor(color));
      }
      StampedLock lock = new StampedLock();
      return new Counter(under(lock.asReadLock()), under(lock.asWriteLock()));
    }

    private static Executor under(Lock lock) {
      return task -> {
        lock.lock();
        try {
          task.run();
        } finally {
          lock.unlock();
        }
      };
    }
  }

  private final Counter counter;

  /** Operations that have not started. Only the channel's loop. */
  private final ByteBuf waiting = Unpooled.buffer();

  /** Whether an operation has started. Only the channel's loop. */
  private boolean busy;

  SharedCounterHandler(Counter counter) {
    this.counter = counter;
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    ByteBuf operations = (ByteBuf) message;
    waiting.discardSomeReadBytes().writeBytes(operations);
    operations.release();
    next(ctx);
  }

  private void next(ChannelHandlerContext ctx) {
    if (busy || !waiting.isReadable()) {
      return;
    }
    busy = true;
    if (waiting.readByte() == CounterHandler.INCREMENT) {
      counter.writes.execute(() -> answer(ctx, CounterHandler.worked(++counter.value)));
    } else {
      counter.reads.execute(() -> answer(ctx, CounterHandler.worked(counter.value)));
    }
  }

  /** Called with the permission or lock; passes the value to the channel, which runs without it. */
  private void answer(ChannelHandlerContext ctx, long value) {
    ctx.executor()
        .execute(
            () -> {
              busy = false;
              ctx.writeAndFlush(ctx.alloc().buffer(Long.BYTES).writeLong(value), ctx.voidPromise());
              next(ctx);
            });
  }
}
