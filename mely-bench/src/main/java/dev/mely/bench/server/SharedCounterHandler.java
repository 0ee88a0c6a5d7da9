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
 * A connection of the atomic counter whose reads run together with those of other connections: on
 * Mely by a permission to read its color, on Netty's own group under a {@link StampedLock}.
 * Operations of one connection run one after the other.
 */
@SuppressWarnings("FutureReturnValueIgnored") // the void promise reports failures to the pipeline
final class SharedCounterHandler extends LeavingHandler {
  /** What all connections share. */
  static final class Counter {
    private final Executor reads;
    private final Executor writes;

    /** Read and written by tasks of the two executors alone. */
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

  /** The channel's loop only: operations that have not begun. */
  private final ByteBuf waiting = Unpooled.buffer();

  /** The channel's loop only: one has begun. */
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

  /** With the permission, or the lock: back to the channel, whose turn comes without it. */
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
