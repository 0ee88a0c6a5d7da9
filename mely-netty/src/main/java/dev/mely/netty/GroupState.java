package dev.mely.netty;

import dev.mely.Mely;
import dev.mely.netty.memory.WorkingSet;
import io.netty.channel.EventLoopGroup;
import io.netty.util.concurrent.DefaultPromise;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.netty.util.concurrent.Promise;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * What the event loops of a group share: the Mely runtime, the cost priors, and how far the group's
 * life has come. It knows nothing of cores and their I/O, see {@link Cores}.
 *
 * <p>Complete when the runtime has been started. Thread-safe from then on.
 */
final class GroupState {
  static final int RUNNING = 0;
  static final int SHUTTING_DOWN = 1;
  static final int SHUT_DOWN = 2;
  static final int TERMINATED = 3;

  private final GroupSettings settings;
  private final Promise<?> termination = new DefaultPromise<Void>(GlobalEventExecutor.INSTANCE);
  private final AtomicInteger state = new AtomicInteger(RUNNING);
  private final PendingRegistrations pendingRegistrations = new PendingRegistrations();
  private final CostPriors costPriors = new CostPriors();
  private final CostPrior taskPrior = new CostPrior();
  private final AtomicInteger registrations = new AtomicInteger();

  /** Loops that must be told of a shutdown: they have scheduled tasks, or hooks. */
  private final Set<ColorTasks> registeredForShutdown = ConcurrentHashMap.newKeySet();

  /** Counts live buffers; null if these have no bound. */
  private final @Nullable StingyAllocator allocator;

  /** Null if live buffers have no bound. */
  private final @Nullable WorkingSet workingSet;

  private final TerminationFutures terminationFutures = new TerminationFutures();

  private volatile long lastActivity;

  /** The thread that cleans up after the workers. Plain: a thread looks only for itself here. */
  private @Nullable Thread cleanupThread;

  // Set by the steps of the group's construction.

  @SuppressWarnings("NullAway.Init")
  private EventLoopGroup group;

  @SuppressWarnings("NullAway.Init")
  private Mely mely;

  private boolean bounded;

  /** The thread that may end the runtime. Plain: a thread looks only for itself here. */
  private @Nullable Thread ender;

  /**
   * @param settings checked and complete
   */
  GroupState(GroupSettings settings) {
    this.settings = settings;
    long bound = settings.workingSet();
    this.allocator =
        bound == 0
            ? null
            : new StingyAllocator((int) Math.min(bound, StingyAllocator.defaultWorkingSet()));
    this.workingSet =
        allocator == null ? null : new WorkingSet(allocator.slabs(), bound, settings.cores());
  }

  /** The group is the parent of its event loops: called before the first one is made. */
  void attach(EventLoopGroup newGroup) {
    group = newGroup;
  }

  /** The runtime has been started. */
  void attach(Mely newMely) {
    mely = newMely;
    bounded = newMely.inspect().isBounded();
    if (workingSet != null) {
      workingSet.attach(newMely);
    }
  }

  GroupSettings settings() {
    return settings;
  }

  EventLoopGroup group() {
    return group;
  }

  Mely mely() {
    return mely;
  }

  /** Whether pending events are bounded, and a program's tasks may be refused. */
  boolean isBounded() {
    return bounded;
  }

  PendingRegistrations pendingRegistrations() {
    return pendingRegistrations;
  }

  CostPriors costPriors() {
    return costPriors;
  }

  /** The cost prior of the tasks of loops. */
  CostPrior taskPrior() {
    return taskPrior;
  }

  @Nullable StingyAllocator allocator() {
    return allocator;
  }

  @Nullable WorkingSet workingSet() {
    return workingSet;
  }

  TerminationFutures terminationFutures() {
    return terminationFutures;
  }

  // ---- What loops report

  void registered() {
    registrations.getAndIncrement();
  }

  void unregistered() {
    registrations.getAndDecrement();
  }

  int registrations() {
    return registrations.get();
  }

  void registerForShutdown(ColorTasks loop) {
    registeredForShutdown.add(loop);
  }

  void deregisterFromShutdown(ColorTasks loop) {
    registeredForShutdown.remove(loop);
  }

  /** A task has run: during the shutdown that starts the quiet period anew. */
  void noteActivity() {
    if (state.get() != RUNNING) {
      lastActivity = System.nanoTime();
    }
  }

  long lastActivity() {
    return lastActivity;
  }

  // ---- Life cycle

  /** True for the first call: the caller is to shut the group down. */
  boolean startShutdown() {
    lastActivity = System.nanoTime();
    return state.compareAndSet(RUNNING, SHUTTING_DOWN);
  }

  /** Tells the loops with scheduled tasks or hooks to shut down, each in its color. */
  void shutDownLoops() {
    registeredForShutdown.forEach(ColorTasks::shutDownLater);
  }

  /**
   * The workers have ended: does what remains to be done in colors. A color that was busy all
   * through the shutdown, or scheduled a task just as the timers were dropped, has not been told in
   * time; threads may wait for a scheduled task, or rely on a hook. Listeners run at once, on the
   * calling thread, for which {@code inEventLoop} is true of every loop.
   */
  void cleanup() {
    cleanupThread = Thread.currentThread();
    for (ColorTasks loop : registeredForShutdown) {
      ShutdownStep.run(loop::shutDownNow);
    }
  }

  /** Whether the thread is the one that runs {@link #cleanup}. */
  boolean isCleanupThread(Thread thread) {
    return cleanupThread == thread;
  }

  /** The group is over: its runtime may end. */
  void endRuntime(Duration deadline) {
    ender = Thread.currentThread();
    mely.shutdown(deadline);
  }

  /** Called before a program ends the runtime itself: its loops would be left without workers. */
  void refuseOtherEnd() {
    if (ender != Thread.currentThread()) {
      throw new IllegalStateException(
          "this runtime is an event loop group's, and ends with it: group.shutdownGracefully()");
    }
  }

  void setState(int newState) {
    state.set(newState);
  }

  Future<?> termination() {
    return termination;
  }

  void terminated() {
    setState(TERMINATED);
    ShutdownStep.run(terminationFutures::completeAll);
    termination.trySuccess(null);
  }

  boolean isShuttingDown() {
    return state.get() >= SHUTTING_DOWN;
  }

  boolean isShutdown() {
    return state.get() >= SHUT_DOWN;
  }

  boolean isTerminated() {
    return state.get() == TERMINATED;
  }
}
