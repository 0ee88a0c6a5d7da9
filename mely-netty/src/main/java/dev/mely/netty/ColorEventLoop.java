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
 * A color as Netty sees it: an event loop whose thread is the worker that runs the color at the
 * moment.
 *
 * <p>{@link #inEventLoop} is exact: true for the thread that is inside an event of this color, and
 * for no other as long as there are workers. Tasks, scheduled tasks and the readiness of the loop's
 * channels are events of the color, so they exclude each other and keep their order on all cores.
 * {@link #register} puts a channel into <em>this</em> color.
 *
 * <p>Why the superclass is one for a single thread: Netty casts event loops to {@link
 * io.netty.util.concurrent.AbstractScheduledEventExecutor} (scheduled tasks), and others cast them
 * to {@link SingleThreadEventLoop} (gauges, local channels). Its thread is never started here, and
 * its life cycle is that of the group.
 *
 * <p>Thread-safe, except for what is marked as belonging to the color.
 */
class ColorEventLoop extends ColorChannels implements IoEventLoop {
  /** For the superclass: starts no thread. */
  private static final Executor NOWHERE = thread -> {};

  private static final Handler<ShutDown> SHUT_DOWN =
      Handler.of((ShutDown event) -> event.loop.shutDownNow()).named("shutdown");

  /**
   * Declared cost of the task that registers a channel: so low that it is not worth a steal,
   * because a thief that ran it would have to wait for the section of the home core. From a core
   * that is stuck it is stolen all the same.
   */
  private static final HandlerCosts REGISTRATION = new HandlerCosts(Duration.ofNanos(1), 1);

  private final Transport transport;

  /** Color only; null until there is one. */
  private @Nullable ShutdownHooks hooks;

  /** A {@link ShutDown} event is pending. */
  private volatile boolean shutDownPending;

  /** The free list that the loop goes back to. Set before the loop is handed out. */
  @Nullable FreeLoops free;

  /**
   * Whether a thread outside of the color is registering a channel. A hint: the task of another
   * thread may be taken for the registration, and of two registrations at a time one may end the
   * other's.
   */
  private boolean registering;

  /** Guarded by {@link #free}. */
  byte freeState;

  ColorEventLoop(GroupState groupState, IoPoller poller, Transport transport, Color color) {
    this(groupState, poller, transport, NOWHERE);
    attach(color);
  }

  ColorEventLoop(GroupState groupState, IoPoller poller, Transport transport, Executor starter) {
    super(groupState, poller, starter);
    this.transport = transport;
  }

  final Transport transport() {
    return transport;
  }

  @Override
  public boolean inEventLoop(Thread thread) {
    return color().isRunBy(thread) || groupState().isCleanupThread(thread);
  }

  @Override
  public IoEventLoop next() {
    return this;
  }

  // ---- Channels

  @Override
  public ChannelFuture register(ChannelPromise promise) {
    return groupState().pendingRegistrations().add(promise.channel(), promise)
        ? trackEnd(whileRegistering(() -> super.register(promise)))
        : refuse(promise);
  }

  @Deprecated
  @Override
  public ChannelFuture register(Channel channel, ChannelPromise promise) {
    return groupState().pendingRegistrations().add(channel, promise)
        ? trackEnd(whileRegistering(() -> super.register(channel, promise)))
        : refuse(promise);
  }

  /** A registration from another thread executes one task, on that thread and at once. */
  private ChannelFuture whileRegistering(Supplier<ChannelFuture> attempt) {
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
        ? new TaskHandler(this, REGISTRATION.begin(null))
        : super.taskHandler();
  }

  /**
   * The registration ends with this future. If it fails, {@link #register(IoHandle)} may never have
   * been called.
   */
  private ChannelFuture trackEnd(ChannelFuture registration) {
    if (registration.isDone()) {
      ended(registration); // refused: no event loop is left that would call a listener
      return registration;
    }
    return registration.addListener(future -> ended(registration));
  }

  private void ended(ChannelFuture registration) {
    groupState().pendingRegistrations().remove(registration.channel(), registration);
    if (registration.isSuccess()) {
      IgnoredColors.look(registration.channel());
    } else {
      vacatedIfVacant();
    }
  }

  /** Refuses a registration as Netty refuses a channel that is registered already. */
  private ChannelFuture refuse(ChannelPromise registration) {
    registration.setFailure(new IllegalStateException("registered to an event loop already"));
    vacatedIfVacant();
    return registration;
  }

  /** A registration with the loop has failed. */
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
      registration = registerHandle(handle);
    } catch (Throwable t) {
      promise.setFailure(t);
      return;
    }
    promise.setSuccess(registration);
  }

  /**
   * Color only: registers a handle with the I/O handler of the home core. Waits until that is done,
   * because later tasks of the channel, already in the color, rely on it.
   */
  private IoRegistration registerHandle(IoHandle handle) throws Exception {
    Channel channel = groupState().pendingRegistrations().channelOf(handle);
    if (channel != null) {
      useAllocator(channel);
    }
    LoopRegistration registration = transport.newRegistration(this, handle, channel);
    poller()
        .section()
        .call(
            () -> {
              registration.registerWith(poller().io());
              return true;
            });
    registered(registration);
    registration.afterRegister();
    return registration;
  }

  /**
   * Where live buffers have a bound: sets the allocator that counts them, unless the program has
   * set one.
   */
  private void useAllocator(Channel channel) {
    StingyAllocator allocator = groupState().allocator();
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
      return; // it is stuck, and one event is enough
    }
    shutDownPending = true;
    try {
      post(SHUT_DOWN, new ShutDown(this));
    } catch (RejectedExecutionException e) {
      shutDownPending = false; // the runtime has ended, and its timers with it
    } catch (Throwable t) {
      shutDownPending = false; // the next call tries again
      throw t;
    }
  }

  @Override
  final void shutDownNow() {
    shutDownPending = false;
    dropScheduledTasks();
    while (hooks != null && !hooks.isEmpty()) {
      hooks.take().forEach(ColorTasks::runSafely); // they may add hooks
      groupState().noteActivity();
    }
    deregisterFromShutdown();
  }

  @Override
  final void deregisterFromShutdown() {
    if (timer == null && (hooks == null || hooks.isEmpty())) {
      groupState().deregisterFromShutdown(this);
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
   * Shuts the whole group down: a single loop cannot be shut down.
   *
   * @return the group's termination future
   */
  @Override
  public Future<?> shutdownGracefully(long quietPeriod, long timeout, TimeUnit unit) {
    Future<?> unused = parent().shutdownGracefully(quietPeriod, timeout, unit);
    return groupState().termination(); // the parent's completes a moment later
  }

  @Deprecated
  @Override
  public void shutdown() {
    parent().shutdown();
  }

  /**
   * Completes with the group; for a loop that was made for one channel perhaps earlier, see {@link
   * TerminationFutures}.
   */
  @Override
  public Future<?> terminationFuture() {
    TerminationFutures own = free == null ? null : free.futures();
    return own == null ? groupState().termination() : own.of(this);
  }

  /**
   * Completes the loop's termination future, in the color, unless a channel comes first. False if
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
      // First: what its listeners close must not be given to the next channel.
      groupState().terminationFutures().complete(this);
      vacated();
    }
  }

  @Override
  public boolean isShuttingDown() {
    return groupState().isShuttingDown();
  }

  @Override
  public boolean isShutdown() {
    return groupState().isShutdown();
  }

  @Override
  public boolean isTerminated() {
    return groupState().isTerminated();
  }

  @Override
  public boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
    // A loop ends with its group, and so never while any worker of that waits for it.
    if (inEventLoop() || groupState().mely().inspect().currentCore() >= 0) {
      throw new IllegalStateException("cannot await termination of the current thread");
    }
    return groupState().termination().await(timeout, unit);
  }

  @Override
  public String toString() {
    return "ColorEventLoop(" + color() + ")";
  }

  /**
   * Takes no room among the pending events. Not a task, which would start the quiet period anew.
   */
  private static final class ShutDown extends Event {
    final ColorEventLoop loop;

    ShutDown(ColorEventLoop loop) {
      super(false);
      this.loop = loop;
    }
  }
}
