package dev.mely.netty;

import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.ChannelPromise;
import io.netty.channel.EventLoop;
import io.netty.channel.MessageSizeEstimator;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.PromiseNotifier;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * The way back from off-loaded handlers to their channel: a queue of operations, from the color to
 * the channel's event loop.
 *
 * <p>One task of the event loop runs all that has gathered, in order, and flushes once at its end.
 * A flush goes ahead of an operation that is not a write, because a close would fail what has not
 * been flushed. The task is submitted at a flush, or at the end of the event that has added to the
 * queue.
 *
 * <p>The bytes of writes that wait here count for the channel's writability; else a handler that
 * writes as long as the channel is writable would fill the memory:
 *
 * <pre>
 *              the color writes beyond the high-water mark
 *   WRITABLE -----------------------------------------------> UNWRITABLE
 *      ^                                                          |
 *      | an event of the color                                    | the event loop has written
 *      |                                                          | down to the low-water mark
 *      +--------------------- a signal is posted <----------------+
 * </pre>
 */
final class Outbound implements Runnable {
  /** Operations in one task, after which the event loop has a turn for its other work. */
  private static final int MAX_OPERATIONS = 1024;

  private static final Object FLUSH = new Object();
  private static final Object READ = new Object();
  private static final Object RESUME = new Object();

  private static final VarHandle SCHEDULED;
  private static final VarHandle BYTES;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      SCHEDULED = lookup.findVarHandle(Outbound.class, "scheduled", boolean.class);
      BYTES = lookup.findVarHandle(Outbound.class, "bytes", long.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final ChannelHandlerContext ctx;
  private final EventLoop eventLoop;
  private final MessageSizeEstimator.Handle sizes;
  private final Queue<Object> operations = new ConcurrentLinkedQueue<>();

  private final Owner owner;

  /**
   * The task is submitted, and has not begun. It is cleared before the task looks at the queue, so
   * an operation that the task may miss submits the task anew.
   */
  @SuppressWarnings("unused") // by its VarHandle
  private volatile boolean scheduled;

  /** Of writes in the queue. Added by the color, subtracted by the event loop. */
  @SuppressWarnings("unused") // by its VarHandle
  private volatile long bytes;

  /** Written by the color. */
  private volatile boolean unwritable;

  /** Written by the event loop, cleared by the color before it looks at the bytes. */
  private volatile boolean drainedPosted;

  /** Color only: the pipeline is told that this has become writable or not, and not the channel. */
  private boolean ownWritability;

  /** Color only: an event of the handlers runs, at whose end the task is submitted. */
  private boolean gathering;

  /** Color only: operations have been added since the task was submitted last. */
  private boolean added;

  Outbound(ChannelHandlerContext ctx, Owner owner) {
    this.ctx = ctx;
    this.eventLoop = ctx.channel().eventLoop();
    this.sizes = ctx.channel().config().getMessageSizeEstimator().newHandle();
    this.owner = owner;
  }

  /** The context of the off-loading handler in the channel's pipeline. */
  ChannelHandlerContext context() {
    return ctx;
  }

  int sizeOf(Object message) {
    return Math.max(0, sizes.size(message));
  }

  // ---- Color only

  /** An event of the handlers begins. */
  void begin() {
    gathering = true;
  }

  /** It has ended. */
  void end() {
    gathering = false;
    submit();
  }

  /**
   * Hands over a write.
   *
   * @param promise null: there is none to complete
   * @return whether the channel has become unwritable by it
   */
  boolean write(Object message, @Nullable ChannelPromise promise) {
    int size = sizeOf(message);
    long now = (long) BYTES.getAndAdd(this, (long) size) + size;
    boolean full = !unwritable && now > ctx.channel().config().getWriteBufferHighWaterMark();
    if (full) {
      unwritable = true; // first: the event loop that runs the write looks at it
    }
    add(new Write(message, promise, size));
    return full;
  }

  void flush() {
    operations.add(FLUSH);
    added = true;
    submit();
  }

  void read() {
    add(READ);
  }

  /** A read that has been held back may go on. */
  void resume() {
    add(RESUME);
  }

  /** Any other operation on the channel. */
  void perform(
      ChannelPromise promise,
      BiFunction<ChannelHandlerContext, ChannelPromise, ChannelFuture> operation) {
    add(new Call(promise, operation));
  }

  /** A signal that goes on in the channel's pipeline. */
  void call(Runnable operation) {
    add(operation);
  }

  void fireRead(Object message) {
    add(new Read(message));
  }

  private void add(Object operation) {
    operations.add(operation);
    added = true;
    if (!gathering) {
      submit(); // in a task, a listener, or an event of another handler of the color
    }
  }

  private void submit() {
    if (added) {
      added = false;
      schedule();
    }
  }

  /** The event loop has written down to the low-water mark: whether that makes it writable. */
  boolean becomesWritable() {
    drainedPosted = false; // first: the event loop looks at it when it has subtracted
    if (!unwritable || isAboveLowWaterMark()) {
      return false;
    }
    unwritable = false;
    return true;
  }

  /** Tells the handlers that {@link #isWritable} has changed, by what waits here. */
  void fireOwnWritability(ChannelPipeline inner) {
    boolean before = ownWritability; // a handler may write beyond the mark as it is told
    ownWritability = true;
    inner.fireChannelWritabilityChanged();
    ownWritability = before;
  }

  /** Whether they are told that. */
  boolean isOwnWritability() {
    return ownWritability;
  }

  // ---- Any thread

  boolean isWritable() {
    return !unwritable && ctx.channel().isWritable();
  }

  long bytesBeforeUnwritable() {
    return isWritable() ? Math.max(0, ctx.channel().bytesBeforeUnwritable() - bytes) : 0;
  }

  long bytesBeforeWritable() {
    long left = bytes - ctx.channel().config().getWriteBufferLowWaterMark();
    return ctx.channel().bytesBeforeWritable() + (unwritable ? Math.max(0, left) : 0);
  }

  private boolean isAboveLowWaterMark() {
    return bytes > ctx.channel().config().getWriteBufferLowWaterMark();
  }

  private void schedule() {
    if (!SCHEDULED.compareAndSet(this, false, true)) {
      return;
    }
    try {
      execute(eventLoop, this);
    } catch (RejectedExecutionException e) {
      scheduled = false;
      dropAll(e);
    } catch (Throwable noMemory) {
      scheduled = false; // the next operation tries again
      throw noMemory;
    }
  }

  /** Executes a task of the group itself: a group whose pending events are bounded lets it in. */
  static void execute(EventLoop eventLoop, Runnable task) {
    if (eventLoop instanceof ColorTasks loop) {
      loop.executeAlways(task);
    } else {
      eventLoop.execute(task);
    }
  }

  /** The event loop has ended: nothing can be written any more. */
  private void dropAll(Throwable cause) {
    for (Object next = operations.poll(); next != null; next = operations.poll()) {
      if (next instanceof Write write) {
        write.drop(cause);
      } else if (next instanceof Read read) {
        ReferenceCountUtil.safeRelease(read.message());
      } else if (next instanceof Call call) {
        call.promise().tryFailure(cause);
      }
    }
  }

  // ---- Event loop only

  /** Runs what has gathered. */
  @Override
  public void run() {
    scheduled = false;
    boolean flush = false;
    int done = 0;
    Object next;
    while (done < MAX_OPERATIONS && (next = operations.poll()) != null) {
      done++;
      if (next instanceof Write write) {
        write(write);
      } else if (next == FLUSH) {
        flush = true;
      } else if (next == READ) {
        owner.read();
      } else if (next == RESUME) {
        owner.resume();
      } else {
        if (flush) {
          flush = false;
          ctx.flush();
        }
        perform(next);
      }
    }
    if (flush) {
      ctx.flush();
    }
    if (done == MAX_OPERATIONS) {
      schedule();
    }
    if (unwritable && !drainedPosted && !isAboveLowWaterMark()) {
      drainedPosted = true;
      owner.drained();
    }
  }

  private void perform(Object operation) {
    if (operation instanceof Read read) {
      ctx.fireChannelRead(read.message());
    } else if (operation instanceof Call call) {
      ChannelFuture unused = call.operation().apply(ctx, outerPromise(call.promise()));
    } else {
      ColorTasks.runSafely((Runnable) operation);
    }
  }

  private void write(Write write) {
    BYTES.getAndAdd(this, (long) -write.size());
    ChannelPromise inner = write.promise();
    if (inner != null && !inner.isVoid() && !inner.setUncancellable()) {
      ReferenceCountUtil.safeRelease(write.message()); // it has been cancelled
      return;
    }
    ChannelPromise outer = inner == null ? ctx.newPromise() : outerPromise(inner);
    ChannelFuture unused = ctx.write(write.message(), outer);
  }

  /** A promise of the real channel; what it tells completes the inner one. */
  ChannelPromise outerPromise(ChannelPromise inner) {
    if (inner.isVoid()) {
      return ctx.voidPromise();
    }
    ChannelPromise outer = ctx.newPromise();
    outer.addListener(new PromiseNotifier<Void, ChannelFuture>(false, inner));
    return outer;
  }

  /** What the event loop calls. */
  interface Owner {
    /** The handlers' pipeline asks for a read. */
    void read();

    /** A read that has been held back may go on. */
    void resume();

    /** What waited to be written is down to the low-water mark. */
    void drained();
  }

  /** A message that goes on in the channel's pipeline. */
  private record Read(Object message) {}

  private record Call(
      ChannelPromise promise,
      BiFunction<ChannelHandlerContext, ChannelPromise, ChannelFuture> operation) {}

  private record Write(Object message, @Nullable ChannelPromise promise, int size) {
    void drop(Throwable cause) {
      ReferenceCountUtil.safeRelease(message);
      if (promise != null && !promise.isVoid()) {
        promise.tryFailure(cause);
      }
    }
  }
}
