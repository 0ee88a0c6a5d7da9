package dev.mely.netty;

import dev.mely.Color;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelPromise;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoRegistration;
import io.netty.channel.SingleThreadEventLoop;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.Promise;
import io.netty.util.concurrent.RejectedExecutionHandlers;
import io.netty.util.concurrent.ScheduledFuture;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A color as Netty sees it: an event loop whose thread is whichever worker runs the color at the
 * moment.
 *
 * <p>{@link #inEventLoop} is exact: true for the thread that is inside an event of this color, and
 * for no other as long as there are workers. Tasks, scheduled tasks and the readiness of the loop's
 * channels are events of the color, so they exclude each other and keep their order wherever they
 * run. {@link #register} puts a channel into <em>this</em> color.
 *
 * <p>Why the superclass, which is about one thread: Netty casts event loops to {@link
 * io.netty.util.concurrent.AbstractScheduledEventExecutor} (scheduled tasks), and others cast them
 * to {@link SingleThreadEventLoop} (gauges, local channels). Its thread is never started here, and
 * its life cycle is that of the group.
 *
 * <p>Thread-safe, except for what is marked as belonging to the color.
 */
class ColorEventLoop extends SingleThreadEventLoop implements IoEventLoop {
  /** No task is scheduled. */
  static final long NO_DEADLINE = -1;

  private static final VarHandle REGISTRATIONS;

  static {
    try {
      REGISTRATIONS =
          MethodHandles.lookup().findVarHandle(ColorEventLoop.class, "registrations", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /** Where the superclass starts its thread: nowhere. */
  private static final Executor NOWHERE = thread -> {};

  private final Engine engine;
  private final IoPoller poller;
  private final TaskHandler tasks;

  /** Color only; null while no task is scheduled. */
  @Nullable LoopTimer timer;

  /** How many channels are registered. Atomic add, volatile read: anybody asks. */
  @SuppressWarnings("UnusedVariable") // touched through its VarHandle alone
  private int registrations;

  /** Color only: the registrations, see {@link Served}. */
  private @Nullable Object served;

  /** Color only; null until there is one. */
  private @Nullable ShutdownHooks hooks;

  /** Set before the loop is handed out. */
  @SuppressWarnings("NullAway.Init")
  private Color color;

  private boolean launching;

  /** The color has been told that the group shuts down, and has not answered. */
  private volatile boolean telling;

  /** The pool may give the loop to another channel. Set before the loop is handed out. */
  boolean reusable;

  /** It waits in the pool for a channel. Guarded by the pool. */
  boolean pooled;

  ColorEventLoop(Engine engine, IoPoller poller, Color color) {
    this(engine, poller, NOWHERE);
    attach(color);
  }

  ColorEventLoop(Engine engine, IoPoller poller, Executor starter) {
    this(engine, poller, starter, new ColorTaskQueue());
  }

  /**
   * What is added to the superclass's queues (by {@link #executeAfterEventLoopIteration}) becomes
   * an event of the color, behind all that are pending.
   */
  private ColorEventLoop(Engine engine, IoPoller poller, Executor starter, ColorTaskQueue queue) {
    super(engine.group(), starter, true, queue, queue, RejectedExecutionHandlers.reject());
    this.engine = engine;
    this.poller = poller;
    this.tasks = new TaskHandler(this, HandlerCosts.UNKNOWN, engine.tasks().estimate());
    queue.bind(this);
  }

  final Engine engine() {
    return engine;
  }

  final IoPoller poller() {
    return poller;
  }

  final Color color() {
    return color;
  }

  final void attach(Color newColor) {
    color = newColor;
  }

  @Override
  public boolean inEventLoop(Thread thread) {
    return color.isRunBy(thread) || engine.isUndertaker(thread);
  }

  @Override
  public IoEventLoop next() {
    return this;
  }

  // ---- Tasks

  @Override
  public void execute(Runnable task) {
    engine.mely().register(color, tasks, Objects.requireNonNull(task, "task"));
  }

  @Override
  public void lazyExecute(Runnable task) {
    execute(task);
  }

  /** The superclass adds tasks of its own here, when a scheduled task is cancelled from outside. */
  @Override
  protected void addTask(Runnable task) {
    if (!launching) {
      execute(task);
    }
  }

  /** Color only. */
  void serve(Runnable task) {
    safeExecute(task); // logs what it throws, as every Netty event loop does
    LoopTimer.arm(this); // it may have scheduled something
    engine.noteActivity();
  }

  /** Makes the superclass start its thread, that is, call the executor of the constructor. */
  final void launch() {
    launching = true;
    super.lazyExecute(() -> {});
    launching = false;
  }

  @Override
  protected boolean runAllTasks() {
    return false; // the color runs them
  }

  /** Events that wait for the color, whatever their kind: tasks, timers, readiness. */
  @Override
  public int pendingTasks() {
    return color.pending();
  }

  @Override
  protected void wakeup(boolean inEventLoop) {
    // The runtime wakes whom it needs.
  }

  @Override
  protected void run() {
    throw new UnsupportedOperationException("a color has no thread");
  }

  // ---- Scheduled tasks. From outside they arrive as tasks, after which the timer is set.

  @Override
  public ScheduledFuture<?> schedule(Runnable command, long delay, TimeUnit unit) {
    return armed(super.schedule(command, delay, unit));
  }

  @Override
  public <V> ScheduledFuture<V> schedule(Callable<V> callable, long delay, TimeUnit unit) {
    return armed(super.schedule(callable, delay, unit));
  }

  @Override
  public ScheduledFuture<?> scheduleAtFixedRate(
      Runnable command, long initialDelay, long period, TimeUnit unit) {
    return armed(super.scheduleAtFixedRate(command, initialDelay, period, unit));
  }

  @Override
  public ScheduledFuture<?> scheduleWithFixedDelay(
      Runnable command, long initialDelay, long delay, TimeUnit unit) {
    return armed(super.scheduleWithFixedDelay(command, initialDelay, delay, unit));
  }

  private <F> F armed(F future) {
    if (inEventLoop()) {
      LoopTimer.arm(this);
    }
    return future;
  }

  /** Color only: when the next scheduled task is due, on the ticker's clock; or NO_DEADLINE. */
  final long nextDeadline() {
    return nextScheduledTaskDeadlineNanos();
  }

  /** Color only: runs the scheduled tasks that are due. */
  final void runExpired() {
    long now = ticker().nanoTime();
    for (Runnable task = pollScheduledTask(now); task != null; task = pollScheduledTask(now)) {
      safeExecute(task);
    }
    engine.noteActivity();
  }

  /** Color only: cancels all scheduled tasks. */
  final void dropScheduledTasks() {
    cancelScheduledTasks();
    LoopTimer.disarm(this);
  }

  // ---- Channels

  @Override
  public ChannelFuture register(ChannelPromise promise) {
    engine.arrivals().expect(promise.channel());
    return engine.arrivals().settle(super.register(promise));
  }

  @Deprecated
  @Override
  public ChannelFuture register(Channel channel, ChannelPromise promise) {
    engine.arrivals().expect(channel);
    return engine.arrivals().settle(super.register(channel, promise));
  }

  @Override
  public final Future<IoRegistration> register(IoHandle handle) {
    Promise<IoRegistration> promise = newPromise();
    if (inEventLoop()) {
      registerNow(handle, promise);
    } else {
      execute(() -> registerNow(handle, promise));
    }
    return promise;
  }

  private void registerNow(IoHandle handle, Promise<IoRegistration> promise) {
    IoRegistration registration;
    try {
      registration = enter(handle, engine.arrivals().channelOf(handle));
    } catch (Throwable t) {
      promise.setFailure(t);
      return;
    }
    promise.setSuccess(registration);
  }

  /**
   * Color only: enters a handle with the I/O handler of the home core and tells it so. Waits until
   * that is done: the channel's later tasks, already in the color, rely on it.
   */
  IoRegistration enter(IoHandle handle, @Nullable Channel channel) throws Exception {
    Registration registration = engine.transport().newRegistration(this, handle, channel);
    poller
        .section()
        .call(
            () -> {
              registration.bind(poller.io().register(registration));
              return true;
            });
    registered(registration);
    handle.registered();
    return registration;
  }

  /** Color only: a registration was made. */
  final void registered(Served registration) {
    REGISTRATIONS.getAndAdd(this, 1);
    engine.registered();
    served = Served.with(served, registration);
  }

  /** A registration was cancelled. */
  final void unregistered(Served registration) {
    engine.unregistered();
    inColor(() -> served = Served.without(served, registration));
    if ((int) REGISTRATIONS.getAndAdd(this, -1) == 1) {
      engine.tasks().note(tasks.costNanos());
      engine.pool().vacated(this);
    }
  }

  /** Color only: the registrations. */
  final List<Served> served() {
    return Served.list(served);
  }

  /** Whether no channel is registered. */
  final boolean isVacant() {
    return registeredChannels() == 0;
  }

  @Override
  public int registeredChannels() {
    return (int) REGISTRATIONS.getVolatile(this);
  }

  @Override
  public Iterator<Channel> registeredChannelsIterator() {
    return new ChannelsReadOnlyIterator<>(Served.channels(served));
  }

  @Override
  public boolean isCompatible(Class<? extends IoHandle> handleType) {
    return poller.io().isCompatible(handleType);
  }

  @Override
  public boolean isIoType(Class<? extends IoHandler> handlerType) {
    return poller.io().getClass().equals(handlerType);
  }

  // ---- Life cycle: that of the group

  /** Whether {@link #onShuttingDown} is to be called: false if it is about to be already. */
  boolean startTelling() {
    boolean start = !telling;
    telling = true;
    return start;
  }

  /** Color only: the group shuts down. Called again and again until it has. */
  void onShuttingDown() {
    telling = false;
    dropScheduledTasks();
    if (hooks != null && !hooks.isEmpty()) {
      hooks.take().forEach(SingleThreadEventLoop::safeExecute);
      engine.noteActivity();
    }
    neglect();
  }

  /** Color only: nobody need be told of a shutdown, unless there is something else to end. */
  void neglect() {
    if (timer == null && (hooks == null || hooks.isEmpty())) {
      engine.neglect(this);
    }
  }

  @Override
  public void addShutdownHook(Runnable task) {
    inColor(
        () -> {
          if (hooks == null) {
            hooks = new ShutdownHooks();
          }
          hooks.add(task);
          engine.attend(this);
        });
  }

  @Override
  public void removeShutdownHook(Runnable task) {
    inColor(
        () -> {
          if (hooks != null) {
            hooks.remove(task);
          }
        });
  }

  private void inColor(Runnable action) {
    if (inEventLoop()) {
      action.run();
    } else {
      execute(action);
    }
  }

  /**
   * Shuts the whole group down: a color alone has no life to end.
   *
   * @return the group's termination future
   */
  @Override
  public Future<?> shutdownGracefully(long quietPeriod, long timeout, TimeUnit unit) {
    engine.shutdown(quietPeriod, timeout, unit);
    return engine.termination();
  }

  @Deprecated
  @Override
  public void shutdown() {
    engine.shutdown(0, 0, TimeUnit.NANOSECONDS);
  }

  @Override
  public Future<?> terminationFuture() {
    return engine.termination();
  }

  @Override
  public boolean isShuttingDown() {
    return engine.isShuttingDown();
  }

  @Override
  public boolean isShutdown() {
    return engine.isShutdown();
  }

  @Override
  public boolean isTerminated() {
    return engine.isTerminated();
  }

  @Override
  public boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
    if (inEventLoop()) {
      throw new IllegalStateException("cannot await termination of the current thread");
    }
    return engine.termination().await(timeout, unit);
  }

  @Override
  public String toString() {
    return "ColorEventLoop(" + color + ")";
  }
}
