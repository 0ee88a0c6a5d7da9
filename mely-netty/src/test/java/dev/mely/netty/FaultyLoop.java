package dev.mely.netty;

import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoEventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SingleThreadIoEventLoop;
import io.netty.channel.nio.NioIoHandler;
import io.netty.util.concurrent.RejectedExecutionHandlers;
import io.netty.util.concurrent.ScheduledFuture;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Netty's event loop, with one fault: the differential test has to find it. */
final class FaultyLoop extends SingleThreadIoEventLoop {
  /** What is wrong. */
  enum Fault {
    /** Channels are served after each task. */
    IO_BEFORE_CHAINED_TASKS("read of end \\d before task\\d+"),
    TAILS_BEFORE_TASKS("tail\\d+ runs at the end, before .*task\\d+"),
    TASKS_OUT_OF_ORDER("task\\d+ runs before what was submitted earlier"),
    A_TASK_TWICE("task\\d+ runs unasked"),
    A_TASK_LOST("task\\d+ runs before what was submitted earlier"),
    SCHEDULED_TASKS_EARLY("timer\\d+ runs \\d+ ns early"),
    SCHEDULED_TASKS_AT_ONCE("timer\\d+ runs unasked, or cancelled"),
    IN_EVENT_LOOP_ELSEWHERE("inEventLoop\\(\\) is true outside"),
    /**
     * A task runs on a thread of its own, which takes itself for the event loop, while the loop is
     * still inside what has submitted it: there the two surely meet.
     */
    TWO_THREADS("\\w+ runs on .* while .* is in the loop"),
    LISTENERS_BEFORE_THEIR_WRITE("\\w+ is done before it was flushed"),
    USER_EVENTS_OUT_OF_ORDER("event\\d+ runs before what was submitted earlier"),
    READS_THAT_NOBODY_ASKED_FOR("read that nobody asked for"),
    BYTES_TWICE("bytes out of order"),
    CALLBACKS_AFTER_THE_END("complete\\d after channelUnregistered");

    private final Pattern said;

    Fault(String said) {
      this.said = Pattern.compile(said);
    }

    /** Whether this is how the fault is to be found. */
    boolean isSaidBy(String found) {
      return said.matcher(found).matches();
    }

    /** A group with this fault, if the event loop has it. */
    EventLoopGroup group() {
      return new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory()) {
        @Override
        protected IoEventLoop newChild(
            Executor executor, IoHandlerFactory factory, Object... args) {
          return new FaultyLoop(Fault.this, this, executor, factory);
        }
      };
    }

    /** The handler with this fault, if a handler has it. */
    ChannelHandler handler() {
      return new FaultyHandler(this);
    }
  }

  private static final long DAY_MILLIS = TimeUnit.DAYS.toMillis(1);

  private final Fault fault;
  private int executed;
  private volatile @Nullable Thread second;

  private FaultyLoop(
      Fault fault, IoEventLoopGroup parent, Executor executor, IoHandlerFactory factory) {
    super(
        parent,
        executor,
        factory,
        Integer.MAX_VALUE,
        RejectedExecutionHandlers.reject(),
        DAY_MILLIS);
    this.fault = fault;
  }

  @Override
  protected void run() {
    if (fault != Fault.IO_BEFORE_CHAINED_TASKS) {
      super.run();
      return;
    }
    ioHandler().initialize();
    do {
      runIo();
      if (isShuttingDown()) {
        ioHandler().prepareToDestroy();
      }
      Runnable task = pollTask();
      if (task == null) {
        runAllTasks(TimeUnit.MILLISECONDS.toNanos(DAY_MILLIS));
      } else {
        safeExecute(task);
      }
    } while (!confirmShutdown());
  }

  @Override
  protected boolean runAllTasks(long timeoutNanos) {
    if (fault == Fault.TAILS_BEFORE_TASKS) {
      afterRunningAllTasks();
    }
    return super.runAllTasks(timeoutNanos);
  }

  @Override
  public void execute(Runnable task) {
    if (isShuttingDown() || !isOfProgram(task)) {
      super.execute(task);
      return;
    }
    if (++executed % 5 != 0) { // from two threads: any number will do
      super.execute(task);
      return;
    }
    switch (fault) {
      case TASKS_OUT_OF_ORDER -> super.execute(() -> super.execute(task));
      case A_TASK_TWICE -> {
        super.execute(task);
        super.execute(task);
      }
      case A_TASK_LOST -> {}
      case TWO_THREADS -> {
        if (super.inEventLoop(Thread.currentThread())) {
          onSecondThread(task);
        } else {
          super.execute(task);
        }
      }
      default -> super.execute(task);
    }
  }

  private static boolean isOfProgram(Runnable task) {
    return task.getClass().getName().startsWith(LoopRun.class.getName());
  }

  private void onSecondThread(Runnable task) {
    Runnable inside =
        () -> {
          second = Thread.currentThread();
          task.run();
          second = null;
        };
    CompletableFuture.runAsync(inside, runnable -> new Thread(runnable).start()).join();
  }

  @Override
  public boolean inEventLoop(Thread thread) {
    return super.inEventLoop(thread)
        || (thread == second && thread != null)
        || (fault == Fault.IN_EVENT_LOOP_ELSEWHERE && thread.getName().startsWith(LoopRun.OUTSIDE));
  }

  @Override
  public ScheduledFuture<?> schedule(Runnable command, long delay, TimeUnit unit) {
    if (fault == Fault.SCHEDULED_TASKS_EARLY) {
      return super.schedule(command, delay / 2, unit);
    }
    if (fault == Fault.SCHEDULED_TASKS_AT_ONCE && delay == 0 && inEventLoop()) {
      command.run();
      return super.schedule(() -> {}, delay, unit);
    }
    return super.schedule(command, delay, unit);
  }

  private static final class FaultyHandler extends ChannelDuplexHandler {
    private final Fault fault;
    private int events;

    FaultyHandler(Fault fault) {
      this.fault = fault;
    }

    @Override
    public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
      if (fault == Fault.LISTENERS_BEFORE_THEIR_WRITE) {
        promise.trySuccess();
        ctx.write(message);
      } else {
        ctx.write(message, promise);
      }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
      if (fault == Fault.USER_EVENTS_OUT_OF_ORDER
          && event instanceof LoopEnd.UserEvent user
          && user.counted()
          && ++events % 2 == 1) {
        ctx.executor().execute(() -> ctx.fireUserEventTriggered(event));
      } else {
        ctx.fireUserEventTriggered(event);
      }
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      ctx.fireChannelRead(message);
      if (fault == Fault.BYTES_TWICE) {
        ctx.fireChannelRead(ctx.alloc().buffer(1).writeZero(1));
      }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
      ctx.fireChannelReadComplete();
      if (fault == Fault.READS_THAT_NOBODY_ASKED_FOR && ctx.channel().isActive()) {
        ctx.read();
      }
    }

    @Override
    public void channelUnregistered(ChannelHandlerContext ctx) {
      ctx.fireChannelUnregistered();
      if (fault == Fault.CALLBACKS_AFTER_THE_END) {
        ctx.fireChannelReadComplete();
      }
    }
  }
}
