package dev.mely;

import dev.mely.pool.Pool;
import dev.mely.spi.Poller;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The runtime: one worker per core, which runs colored events and steals whole colors.
 *
 * <pre>{@code
 * Handler<String> print = Handler.of(System.out::println);
 * try (Mely mely = Mely.builder().build()) {
 *   Color alice = mely.newColor();
 *   Color bob = mely.newColor();
 *   mely.register(alice, print, "a1"); // a1 before a2
 *   mely.register(alice, print, "a2");
 *   mely.register(bob, print, "b1"); // in parallel with both
 * }
 * }</pre>
 *
 * <p>Thread-safe. Events that a handler registers do not inherit its color. Source: Mely, sections
 * II to IV; libasync-smp, section 3.
 */
public final class Mely extends Inspectable implements AutoCloseable {
  private static final Handler<Runnable> RUN = Handler.of(Runnable::run).named("tasks");

  private final Timers timers;
  private final Admission admission;
  private final ColorTable table = new ColorTable();
  private final Color defaultColor;
  private final AtomicInteger nextCore = new AtomicInteger();
  private final Shutdown ending;

  /** In which order a core runs the colors that wait for it. */
  public enum Order {
    /** In turn, as in the paper (Mely, section IV-A). */
    ROTATION,

    /**
     * The color whose next batch is expected to be the shortest first, so that light ones do not
     * queue behind heavy ones; with ageing: a color waits a bounded multiple of its turn.
     */
    CHEAPEST_FIRST
  }

  /** What happens to a registration when as many events are pending as may be. */
  public enum Overflow {
    /** It fails with a {@link RejectedExecutionException}. */
    REJECT,

    /** The caller waits for room, unless it is a handler: then it fails. */
    BLOCK
  }

  Mely(Host host, Settings settings, Poller.Factory pollers, int[] cpus) {
    super(Construction.newScheduler(host, settings, pollers), cpus);
    this.timers = new Timers(scheduler);
    this.admission = new Admission(scheduler);
    this.ending = new Shutdown(scheduler, blockedHandlers);
    this.defaultColor = color(0);
    Construction.start(scheduler, timers, blockedHandlers, ending);
  }

  /**
   * Starts the configuration of a runtime.
   *
   * @return a builder with defaults that work
   */
  public static MelyBuilder builder() {
    return new MelyBuilder();
  }

  // ---- Colors

  /**
   * Returns the color of events that need none: number 0. A program that uses no other color is a
   * correct serial program.
   *
   * @return always the same color
   */
  public Color defaultColor() {
    return defaultColor;
  }

  /**
   * Looks a color up by number. The same number gives the same color for as long as somebody holds
   * it or it has events. A new one starts at core {@code number mod cores}. Hold on to the result
   * where speed matters.
   *
   * @param number any number
   * @return its color
   */
  public Color color(long number) {
    return table.get(
        number, n -> scheduler.newColor((int) Long.remainderUnsigned(n, scheduler.cores()), false));
  }

  /**
   * Makes a color of its own; cores take turns.
   *
   * @return a new color
   */
  public Color newColor() {
    return newColor(Math.floorMod(nextCore.getAndIncrement(), scheduler.cores()));
  }

  /**
   * Makes a color of its own at a given core. It may be stolen from there.
   *
   * @param core number of the core, from 0
   * @return a new color
   * @throws IllegalArgumentException if there is no such core
   */
  public Color newColor(int core) {
    return scheduler.newColor(scheduler.host.check(core), false);
  }

  /**
   * Makes a color that stays at its core for good: no thief takes it, not even while the core is
   * stuck in another handler.
   *
   * @param core number of the core, from 0
   * @return a new color
   * @throws IllegalArgumentException if there is no such core
   */
  public Color newPinnedColor(int core) {
    return scheduler.newColor(scheduler.host.check(core), true);
  }

  // ---- What stands behind it: for this package's tests

  Scheduler scheduler() {
    return scheduler;
  }

  Timers timers() {
    return timers;
  }

  // ---- Registration

  /**
   * Registers an event: the handler will run with it, after all events of the color that were
   * registered before, whoever registered them. Takes constant time. If the event is an {@link
   * Event}, nothing is allocated.
   *
   * @param color the color, of this runtime
   * @param handler who handles the event
   * @param event what it is given
   * @throws IllegalArgumentException if the color belongs to another runtime
   * @throws IllegalStateException if the event is pending already
   * @throws RejectedExecutionException after shutdown began (handlers may register until it ends),
   *     or if as many events are pending as {@linkplain MelyBuilder#maxPending may be}
   */
  public <E> void register(Color color, Handler<? super E> handler, E event) {
    scheduler.post(color, scheduler.node(color, handler, event));
  }

  /**
   * Registers an event that shall run as soon as a core is free: if its color is idle, it goes
   * ahead of the colors that wait at its core. If the color waits already it keeps its place, and
   * the event its place in the color: events of one color always run in the order of registration.
   * Others are not starved: every so often one of them has its turn.
   *
   * <p>Meant for the next step of a request whose data is still in the core's cache. Source:
   * libasync-smp, section 3 ({@code cpucb}).
   *
   * @param color the color, of this runtime
   * @param handler who handles the event
   * @param event what it is given
   * @throws IllegalArgumentException if the color belongs to another runtime
   * @throws IllegalStateException if the event is pending already
   * @throws RejectedExecutionException as {@link #register(Color, Handler, Object)}
   */
  public <E> void registerUrgent(Color color, Handler<? super E> handler, E event) {
    scheduler.postUrgent(color, scheduler.node(color, handler, event));
  }

  /**
   * Registers an event that asks for several colors, or for one that it only reads: the handler
   * will run, once, when all are granted. {@link Permissions} has the order. It runs in none of
   * these colors, so it may be on another core than they are; each of them {@linkplain
   * Color#isCurrent is current} while it runs.
   *
   * @param asked what it asks for, in colors of this runtime
   * @param handler who handles the event; it is never {@linkplain Handler#isDroppable dropped}
   * @param event what it is given
   * @throws IllegalArgumentException if a color belongs to another runtime, or if two are pinned to
   *     different cores
   * @throws IllegalStateException if the event is pending already
   * @throws RejectedExecutionException as {@link #register(Color, Handler, Object)}; the event
   *     takes room in each of its colors
   */
  public <E> void register(Permissions asked, Handler<? super E> handler, E event) {
    if (asked.isOneWriter()) {
      register(asked.color(0), handler, event);
      return;
    }
    StackReserve.check();
    admission.check(asked);
    Objects.requireNonNull(handler, "handler");
    admission.register(asked, handler, Objects.requireNonNull(event, "event"));
  }

  /**
   * Registers a task that asks for several colors, or reads one.
   *
   * @param asked what it asks for, in colors of this runtime
   * @param task what to run
   * @throws RejectedExecutionException as {@link #register(Permissions, Handler, Object)}
   */
  public void execute(Permissions asked, Runnable task) {
    register(asked, RUN, task);
  }

  /**
   * Begins to fork the event that runs now, on the calling thread, into children that run in
   * parallel, and something that runs when all of them have ended.
   *
   * @return to be told of the children
   * @throws IllegalStateException if it is not called from a handler
   */
  public Finish finish() {
    return Finish.of(admission, scheduler.currentCore());
  }

  /**
   * Makes an emitter.
   *
   * @return a new one, without handlers
   */
  public <T> Emitter<T> newEmitter() {
    return new Emitter<>(scheduler, admission, newColor());
  }

  /**
   * Registers a task as an event: {@link #register(Color, Handler, Object)} with a shared handler
   * that runs it.
   *
   * @param color the color, of this runtime
   * @param task what to run
   * @throws RejectedExecutionException after shutdown began; handlers may register until it ends
   */
  public void execute(Color color, Runnable task) {
    register(color, RUN, task);
  }

  /**
   * Returns an executor whose tasks are events of a color, so that whatever takes an executor can
   * run in a color, and come back into one:
   *
   * <pre>{@code
   * CompletableFuture.supplyAsync(() -> load(key), mely.executor(disk))
   *     .thenAcceptAsync(page -> answer(page), mely.executor(connection));
   * }</pre>
   *
   * <p>Its tasks exclude, and keep their order among, everything else that is registered with the
   * color. They never run in the calling thread before {@code execute} returns, not even if that is
   * in the color. A handler must not wait for a future that its own color is to complete: nobody
   * would. What a task throws goes to the {@link ErrorHandler}, unless the task keeps it, as those
   * of {@code CompletableFuture} do. A task that is rejected at the end of the runtime never
   * completes its future.
   *
   * @param color the color, of this runtime
   * @return a new executor, thread-safe; {@code execute} fails as {@link #register(Color, Handler,
   *     Object)} does
   * @throws IllegalArgumentException if the color belongs to another runtime
   */
  public Executor executor(Color color) {
    scheduler.check(color);
    return task -> execute(color, task);
  }

  // ---- Timers

  /**
   * Registers an event after a delay. It keeps its color.
   *
   * @param delay zero or more; what is negative counts as zero
   * @return a handle that can cancel it
   * @throws RejectedExecutionException after shutdown began
   */
  public <E> Timer schedule(Color color, Handler<? super E> handler, E event, Duration delay) {
    return timers.set(color, handler, event, delay, 0);
  }

  /**
   * Registers an event again and again, at fixed points in time. At most one is pending: a color
   * that is late catches up one event after the other.
   *
   * @param delay until the first event, zero or more
   * @param period from due time to due time, more than zero
   * @return a handle that can cancel it
   * @throws IllegalArgumentException if the period is not positive
   * @throws RejectedExecutionException after shutdown began
   */
  public <E> Timer scheduleAtFixedRate(
      Color color, Handler<? super E> handler, E event, Duration delay, Duration period) {
    return timers.set(color, handler, event, delay, Timers.period(period));
  }

  /**
   * Registers an event again and again, a fixed time after the last one has run.
   *
   * @param delay until the first event, zero or more
   * @param pause from the end of one to the due time of the next, more than zero
   * @return a handle that can cancel it
   * @throws IllegalArgumentException if the pause is not positive
   * @throws RejectedExecutionException after shutdown began
   */
  public <E> Timer scheduleWithFixedDelay(
      Color color, Handler<? super E> handler, E event, Duration delay, Duration pause) {
    return timers.set(color, handler, event, delay, -Timers.period(pause));
  }

  // ---- Where a caller is

  /**
   * Returns the number of cores.
   *
   * @return 1 or more
   */
  public int cores() {
    return scheduler.cores();
  }

  /**
   * Returns the core whose worker is calling.
   *
   * @return its number, or -1 on any other thread
   */
  public int currentCore() {
    Core core = scheduler.currentCore();
    return core == null ? -1 : core.index;
  }

  /**
   * Returns the pool of the core whose worker is calling: where its handlers take the objects of
   * the {@linkplain MelyBuilder#plan plan} from. A color that moves asks another pool afterwards;
   * an instance is freed to its own, wherever that happens.
   *
   * @return null if there is no plan, or the caller is not one of the runtime's workers
   */
  public @Nullable Pool pool() {
    Core core = scheduler.currentCore();
    return core == null ? null : core.queue.pool();
  }

  // ---- The end

  /**
   * Ends the runtime: refuses new events from outside, drops pending timers, runs what is pending,
   * then ends the workers. What could not run before the deadline is {@linkplain Handler#rejected
   * rejected}; a worker that is still in a handler then is interrupted once. If anything was left,
   * one warning to the system logger {@code dev.mely} says what, as the report does. Calls after
   * the first wait for it and return the same report.
   *
   * @param deadline how long to wait for pending events; zero: reject them at once
   * @return what was left
   * @throws IllegalStateException if called from a handler, which would wait for itself; or if the
   *     runtime is part of something else, such as an event loop group, that has to be ended
   * @throws NullPointerException if there is no deadline; nothing has been shut down then
   */
  public ShutdownReport shutdown(Duration deadline) {
    return ending.run(deadline);
  }

  /**
   * {@linkplain #shutdown Shuts down} and waits for pending events, for as long as {@link
   * MelyBuilder#closeTimeout} says: ten seconds by default. What is left then does not run, and is
   * logged.
   *
   * @throws IllegalStateException as {@link #shutdown}
   */
  @Override
  public void close() {
    shutdown(scheduler.settings.closeTimeout);
  }

  /**
   * Returns whether shutdown has begun.
   *
   * @return true from then on
   */
  public boolean isShutdown() {
    return scheduler.phase() != Scheduler.OPEN;
  }

  /**
   * Returns whether all workers have ended.
   *
   * @return true from then on
   */
  public boolean isTerminated() {
    return ending.isTerminated();
  }
}
