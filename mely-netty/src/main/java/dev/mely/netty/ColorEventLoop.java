package dev.mely.netty;

import dev.mely.Color;
import dev.mely.Event;
import dev.mely.Handler;
import io.netty.buffer.ByteBufAllocator;
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
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
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
class ColorEventLoop extends ColorChannels implements IoEventLoop {
  /** Where the superclass starts its thread: nowhere. */
  private static final Executor NOWHERE = thread -> {};

  private static final Handler<ShutDown> SHUT_DOWN =
      Handler.of((ShutDown event) -> event.loop.shutDownNow()).named("shutdown");

  /**
   * What the task with which a channel comes is taken to cost: it is not worth a steal. It enters
   * the channel with the I/O handler of the home core, and a thief has to wait in it until that
   * core lets it. From a core that is stuck it is taken all the same.
   */
  private static final HandlerCosts REGISTRATION = new HandlerCosts(Duration.ofNanos(1), 1);

  private final Transport transport;

  /** Color only; null until there is one. */
  private @Nullable ShutdownHooks hooks;

  /** The color is about to be told that the group shuts down. */
  private volatile boolean shutDownPending;

  /** Where the loop waits for the next channel. Set before the loop is handed out. */
  @Nullable FreeLoops free;

  /**
   * Whether a thread outside of the color is registering a channel. A hint: another's task may be
   * taken for the registration, and of two registrations at a time one may end the other's.
   */
  private boolean registering;

  /** Guarded by {@link #free}. */
  byte freeState;

  ColorEventLoop(Engine engine, IoPoller poller, Transport transport, Color color) {
    this(engine, poller, transport, NOWHERE);
    attach(color);
  }

  ColorEventLoop(Engine engine, IoPoller poller, Transport transport, Executor starter) {
    super(engine, poller, starter);
    this.transport = transport;
  }

  final Transport transport() {
    return transport;
  }

  @Override
  public boolean inEventLoop(Thread thread) {
    return color().isRunBy(thread) || engine().isCleanupThread(thread);
  }

  @Override
  public IoEventLoop next() {
    return this;
  }

  // ---- Channels

  @Override
  public ChannelFuture register(ChannelPromise promise) {
    return engine().pendingRegistrations().add(promise.channel(), promise)
        ? pending(comes(() -> super.register(promise)))
        : refuse(promise);
  }

  @Deprecated
  @Override
  public ChannelFuture register(Channel channel, ChannelPromise promise) {
    return engine().pendingRegistrations().add(channel, promise)
        ? pending(comes(() -> super.register(channel, promise)))
        : refuse(promise);
  }

  /** A registration from another thread executes one task, by that thread and at once. */
  private ChannelFuture comes(Supplier<ChannelFuture> attempt) {
    registering = true;
    try {
      return attempt.get();
    } finally {
      registering = false;
    }
  }

  @Override
  TaskHandler taskHandler() {
    return registering && !inEventLoop()
        ? new TaskHandler(this, REGISTRATION, null)
        : super.taskHandler();
  }

  /** The attempt to register ends with this future; one that fails may never ask for a handle. */
  private ChannelFuture pending(ChannelFuture registration) {
    if (registration.isDone()) {
      ended(registration); // refused: no loop is left to tell a listener
      return registration;
    }
    return registration.addListener(future -> ended(registration));
  }

  private void ended(ChannelFuture registration) {
    engine().pendingRegistrations().remove(registration.channel(), registration);
    if (registration.isSuccess()) {
      IgnoredColors.look(registration.channel());
    } else {
      vacatedIfVacant();
    }
  }

  /** Refuses a registration as Netty does where it knows that there is another. */
  private ChannelFuture refuse(ChannelPromise registration) {
    registration.setFailure(new IllegalStateException("registered to an event loop already"));
    vacatedIfVacant();
    return registration;
  }

  /** A channel that was to have the loop has not come. */
  private void vacatedIfVacant() {
    if (isVacant()) {
      vacated();
    }
  }

  @Override
  final void vacated() {
    if (free != null) {
      free.vacated(this);
    }
  }

  @Override
  public final Future<IoRegistration> register(IoHandle handle) {
    Promise<IoRegistration> promise = newPromise();
    if (inEventLoop()) {
      registerNow(handle, promise);
    } else {
      executeAlways(() -> registerNow(handle, promise));
    }
    return promise;
  }

  private void registerNow(IoHandle handle, Promise<IoRegistration> promise) {
    IoRegistration registration;
    try {
      registration = enter(handle);
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
  private IoRegistration enter(IoHandle handle) throws Exception {
    Channel channel = engine().pendingRegistrations().channelOf(handle);
    if (channel != null) {
      countBuffers(channel);
    }
    Served registration = transport.newRegistration(this, handle, channel);
    poller()
        .section()
        .call(
            () -> {
              registration.enter(poller().io());
              return true;
            });
    registered(registration);
    registration.entered();
    return registration;
  }

  /** Where live buffers have a bound, unless somebody has chosen another allocator for it. */
  private void countBuffers(Channel channel) {
    StingyAllocator allocator = engine().allocator();
    if (allocator != null && channel.config().getAllocator() == ByteBufAllocator.DEFAULT) {
      channel.config().setAllocator(allocator);
    }
  }

  @Override
  public boolean isCompatible(Class<? extends IoHandle> handleType) {
    return poller().io().isCompatible(handleType);
  }

  @Override
  public boolean isIoType(Class<? extends IoHandler> handlerType) {
    return poller().io().getClass().equals(handlerType);
  }

  // ---- Life cycle: that of the group

  @Override
  final void shutDownLater() {
    if (shutDownPending) {
      return; // it is stuck: no use telling it again
    }
    shutDownPending = true;
    try {
      post(SHUT_DOWN, new ShutDown(this));
    } catch (RejectedExecutionException e) {
      shutDownPending = false; // the runtime has ended, and its timers with it
    } catch (Throwable t) {
      shutDownPending = false; // it may be told again
      throw t;
    }
  }

  @Override
  final void shutDownNow() {
    shutDownPending = false;
    dropScheduledTasks();
    while (hooks != null && !hooks.isEmpty()) {
      hooks.take().forEach(ColorTasks::runSafely); // they may add others
      engine().noteActivity();
    }
    deregisterFromShutdown();
  }

  @Override
  final void deregisterFromShutdown() {
    if (timer == null && (hooks == null || hooks.isEmpty())) {
      engine().deregisterFromShutdown(this);
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
          registerForShutdown();
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

  /**
   * Shuts the whole group down: a color alone has no life to end.
   *
   * @return the group's termination future
   */
  @Override
  public Future<?> shutdownGracefully(long quietPeriod, long timeout, TimeUnit unit) {
    Future<?> unused = parent().shutdownGracefully(quietPeriod, timeout, unit);
    return engine().termination(); // the same, a moment earlier
  }

  @Deprecated
  @Override
  public void shutdown() {
    parent().shutdown();
  }

  /**
   * Completes with the group. That of a loop which was made for one channel may complete before,
   * see {@link TerminationFutures}.
   */
  @Override
  public Future<?> terminationFuture() {
    TerminationFutures own = free == null ? null : free.futures();
    return own == null ? engine().termination() : own.of(this);
  }

  /**
   * Completes the loop's termination future, in the color, unless a channel comes before. False if
   * that was refused, because the group ends.
   */
  final boolean terminateLater() {
    try {
      executeAlways(this::terminate);
      return true;
    } catch (RejectedExecutionException e) {
      return false;
    }
  }

  private void terminate() {
    if (isVacant()) {
      // First: what its listeners close is not for the next channel.
      engine().terminationFutures().complete(this);
      vacated();
    }
  }

  @Override
  public boolean isShuttingDown() {
    return engine().isShuttingDown();
  }

  @Override
  public boolean isShutdown() {
    return engine().isShutdown();
  }

  @Override
  public boolean isTerminated() {
    return engine().isTerminated();
  }

  @Override
  public boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
    if (inEventLoop()) {
      throw new IllegalStateException("cannot await termination of the current thread");
    }
    return engine().termination().await(timeout, unit);
  }

  @Override
  public String toString() {
    return "ColorEventLoop(" + color() + ")";
  }

  /** Takes no room. Not a task: to be told of the end is no activity that puts it off. */
  private static final class ShutDown extends Event {
    final ColorEventLoop loop;

    ShutDown(ColorEventLoop loop) {
      super(false);
      this.loop = loop;
    }
  }
}
