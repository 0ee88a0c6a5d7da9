package dev.mely.netty;

import dev.mely.Color;
import dev.mely.Event;
import dev.mely.Handler;
import dev.mely.Mely;
import dev.mely.Mely.Timer;
import dev.mely.Permissions;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelPromise;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.util.concurrent.AbstractEventExecutor;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.ScheduledFuture;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/**
 * The event loop of an {@link OffloadChannel}: a color, and nothing else. Light, because there is
 * one for each HTTP/2 stream. {@link #inEventLoop} is true exactly inside an event of the color.
 *
 * <p>Its life cycle, and the channels that are registered with it, are those of the real channel's
 * event loop. Thread-safe.
 */
final class OffloadLoop extends AbstractEventExecutor implements EventLoop {
  private static final Handler<Task> TASKS = new TaskRunner();

  private final Mely mely;

  /**
   * The loop's own: no other loop's events write it, unless the program has given it to several.
   */
  private final Color color;

  /** What each event asks for, that color included; if it is that alone, it is one writer. */
  private final Permissions asked;

  private final EventLoop real;

  OffloadLoop(Mely mely, Color color, Permissions asked, EventLoop real) {
    super(real.parent());
    this.mely = mely;
    this.color = color;
    this.asked = asked;
    this.real = real;
  }

  /** Registers an event of the loop. */
  <E> void post(Handler<? super E> handler, E event) {
    mely.register(asked, handler, event);
  }

  /** Registers an event of the loop after a delay. */
  <E> Timer postLater(Handler<? super E> handler, E event, long delayNanos) {
    return mely.schedule(asked, handler, event, Duration.ofNanos(delayNanos));
  }

  @Override
  public boolean inEventLoop(Thread thread) {
    return color.isRunBy(thread);
  }

  @Override
  public void execute(Runnable task) {
    post(TASKS, new Task(Objects.requireNonNull(task, "task")));
  }

  @Override
  public EventLoopGroup parent() {
    return real.parent();
  }

  @Override
  public EventLoop next() {
    return this;
  }

  // ---- Scheduled tasks

  @Override
  public ScheduledFuture<?> schedule(Runnable command, long delay, TimeUnit unit) {
    return schedule(Executors.callable(command, null), delay, unit);
  }

  @Override
  public <V> ScheduledFuture<V> schedule(Callable<V> callable, long delay, TimeUnit unit) {
    return new OffloadTimer<>(this, callable, 0).start(unit.toNanos(delay));
  }

  @Override
  public ScheduledFuture<?> scheduleAtFixedRate(
      Runnable command, long initialDelay, long period, TimeUnit unit) {
    return periodic(command, initialDelay, unit, unit.toNanos(positive(period)));
  }

  @Override
  public ScheduledFuture<?> scheduleWithFixedDelay(
      Runnable command, long initialDelay, long delay, TimeUnit unit) {
    return periodic(command, initialDelay, unit, -unit.toNanos(positive(delay)));
  }

  private ScheduledFuture<?> periodic(
      Runnable command, long initialDelay, TimeUnit unit, long period) {
    Callable<Object> callable = Executors.callable(command);
    return new OffloadTimer<>(this, callable, period).start(unit.toNanos(initialDelay));
  }

  private static long positive(long period) {
    if (period <= 0) {
      throw new IllegalArgumentException("a period must be above 0, not " + period);
    }
    return period;
  }

  // ---- Channels: those of the real loop

  @Override
  public ChannelFuture register(Channel channel) {
    return real.register(channel);
  }

  @Override
  public ChannelFuture register(ChannelPromise promise) {
    return real.register(promise);
  }

  @Deprecated
  @Override
  public ChannelFuture register(Channel channel, ChannelPromise promise) {
    return real.register(channel, promise);
  }

  // ---- Life cycle: that of the real loop

  @Override
  public Future<?> shutdownGracefully(long quietPeriod, long timeout, TimeUnit unit) {
    return real.shutdownGracefully(quietPeriod, timeout, unit);
  }

  @Deprecated
  @Override
  public void shutdown() {
    real.shutdown();
  }

  @Override
  public Future<?> terminationFuture() {
    return real.terminationFuture();
  }

  @Override
  public boolean isShuttingDown() {
    return real.isShuttingDown();
  }

  @Override
  public boolean isShutdown() {
    return real.isShutdown();
  }

  @Override
  public boolean isTerminated() {
    return real.isTerminated();
  }

  @Override
  public boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
    return real.awaitTermination(timeout, unit);
  }

  @Override
  public String toString() {
    return "OffloadLoop(" + color + ")";
  }

  /** A task: an event of the color. */
  private static final class Task extends Event {
    final Runnable task;

    Task(Runnable task) {
      super(!InternalTasks.contain(task));
      this.task = task;
    }
  }

  private static final class TaskRunner extends Handler<Task> {
    TaskRunner() {
      super(Handler.of(event -> {}).background());
    }

    @Override
    public void handle(Task event) {
      ColorTasks.runSafely(event.task);
    }

    @Override
    protected void rejected(Task event) {
      TaskHandler.cancel(event.task);
    }

    @Override
    protected String stage() {
      return "tasks of off-loaded handlers";
    }
  }
}
