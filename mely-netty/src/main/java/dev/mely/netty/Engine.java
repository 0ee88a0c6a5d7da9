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
 * What the event loops of a group share: the Mely runtime, what is known of their work, and how far
 * the group's life has come. It knows nothing of cores and their I/O, see {@link Cores}.
 *
 * <p>Complete when the runtime has been started. Thread-safe from then on.
 */
final class Engine {
  static final int RUNNING = 0;
  static final int SHUTTING_DOWN = 1;
  static final int SHUT_DOWN = 2;
  static final int TERMINATED = 3;

  private final GroupSettings settings;
  private final Promise<?> termination = new DefaultPromise<Void>(GlobalEventExecutor.INSTANCE);
  private final AtomicInteger state = new AtomicInteger(RUNNING);
  private final PendingRegistrations pendingRegistrations = new PendingRegistrations();
  private final Families families = new Families();
  private final Siblings tasks = new Siblings();
  private final AtomicInteger registrations = new AtomicInteger();

  /** Loops that must be told of a shutdown: they have scheduled tasks, or hooks. */
  private final Set<ColorTasks> registeredForShutdown = ConcurrentHashMap.newKeySet();

  /** Counts live buffers; null if these have no bound. */
  private final @Nullable StingyAllocator allocator;

  /** Null if live buffers have no bound. */
  private final @Nullable WorkingSet workingSet;

  private final TerminationFutures terminationFutures = new TerminationFutures();

  private volatile long lastActivity;

  /** The thread that cleans up when the workers have ended. Plain: no other finds itself here. */
  private @Nullable Thread cleanupThread;

  // Set by the steps of the group's construction.

  @SuppressWarnings("NullAway.Init")
  private EventLoopGroup group;

  @SuppressWarnings("NullAway.Init")
  private Mely mely;

  private boolean bounded;

  /** The thread that may end the runtime. Plain: no other finds itself here. */
  private @Nullable Thread ender;

  /**
   * @param settings checked and complete
   */
  Engine(GroupSettings settings) {
    this.settings = settings;
    long bound = settings.workingSet();
    this.allocator =
        bound == 0
            ? null
            : new StingyAllocator((int) Math.min(bound, StingyAllocator.defaultWorkingSet()));
    this.workingSet =
        allocator == null ? null : new WorkingSet(allocator.slabs(), bound, settings.cores());
  }

  /** The parent of the event loops: before the first one is made. */
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

  /** Whether tasks of programs may be refused for want of room. */
  boolean isBounded() {
    return bounded;
  }

  PendingRegistrations pendingRegistrations() {
    return pendingRegistrations;
  }

  Families families() {
    return families;
  }

  /** What is known of the tasks of loops. */
  Siblings tasks() {
    return tasks;
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

  /** A task has run: while shutting down, that starts the quiet period anew. */
  void noteActivity() {
    if (state.get() != RUNNING) {
      lastActivity = System.nanoTime();
    }
  }

  long lastActivity() {
    return lastActivity;
  }

  // ---- Life cycle

  /** True for the first one who calls it: the group is to be shut down. */
  boolean startShutdown() {
    lastActivity = System.nanoTime();
    return state.compareAndSet(RUNNING, SHUTTING_DOWN);
  }

  /** Tells the loops that have something to end, each in its color. */
  void shutDownLoops() {
    registeredForShutdown.forEach(ColorTasks::shutDownLater);
  }

  /**
   * The workers have gone. What their colors would have ended, had they had another turn: somebody
   * may wait for a scheduled task, or rely on a hook. A color that was busy all through the
   * shutdown, or scheduled something just as the timers were dropped, has not been told in time.
   * Listeners run at once, on the calling thread: it takes the place of every loop's.
   */
  void cleanup() {
    cleanupThread = Thread.currentThread();
    for (ColorTasks loop : registeredForShutdown) {
      Attempt.at(loop::shutDownNow);
    }
  }

  /** Whether the thread is the one that ends what the workers have left. */
  boolean isCleanupThread(Thread thread) {
    return cleanupThread == thread;
  }

  /** The group is over: its runtime may end. */
  void endRuntime(Duration deadline) {
    ender = Thread.currentThread();
    mely.shutdown(deadline);
  }

  /** Called when somebody is about to end the runtime: loops would be left without workers. */
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
    Attempt.at(terminationFutures::completeAll);
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
