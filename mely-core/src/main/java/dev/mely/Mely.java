package dev.mely;

import dev.mely.pool.Pool;
import dev.mely.report.ShutdownReport;
import dev.mely.spi.Poller;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * The runtime, a work-stealing scheduler: one worker per core, which runs and steals whole colors.
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
 * <p>Thread-safe. An event that a handler registers does not inherit the handler's color. Source:
 * Mely, sections II to IV; libasync-smp, section 3.
 */
public final class Mely implements AutoCloseable {
  private static final Handler<Runnable> RUN =
      Handler.<Runnable>of(Runnable::run).background().named("tasks");

  private final Scheduler scheduler;
  private final Timers timers;
  private final Granter granter;
  private final ColorTable table = new ColorTable();
  private final FreshColors freshColors;
  private final Shutdown ending;
  private final Inspection inspection;

  /** A pending registration, which can be cancelled. Thread-safe. */
  public static final class Timer {
    private final TimerEvent event;

    private Timer(TimerEvent event) {
      this.event = event;
    }

    /**
     * Cancels the timer. An event that is due and waits for its color will not run either; a
     * handler that runs already is not disturbed.
     *
     * @return true if this call cancelled the timer: its handler will not be called (again)
     */
    public boolean cancel() {
      return event.cancel();
    }

    /**
     * Returns whether the timer will register no further event.
     *
     * @return true once it is cancelled, dropped by shutdown, or, if it has no period, has run
     */
    public boolean isDone() {
      return event.isDone();
    }
  }

  Mely(Host host, Settings settings, Poller.Factory pollers, int[] cpus) {
    this.scheduler = Construction.newScheduler(host, settings, pollers);
    this.timers = new Timers(scheduler);
    this.granter = new Granter(scheduler);
    this.freshColors = new FreshColors(scheduler);
    BlockedHandlers blockedHandlers = BlockedHandlers.of(scheduler, settings);
    this.ending = new Shutdown(scheduler, blockedHandlers);
    this.inspection = new Inspection(scheduler, freshColors, ending, blockedHandlers, cpus);
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
   * Returns the color of a number. The same number gives the same color for as long as the program
   * refers to that color or it has events. A new one starts at core {@code number mod cores}. Keep
   * the result where speed matters. Color 0 is the one for events that need none: a program that
   * uses no other color is a correct serial program.
   *
   * @param number any number
   * @return its color
   */
  public Color color(long number) {
    return table.get(number, scheduler::newColor);
  }

  /**
   * Returns the color of a key. Equal keys give the same color for as long as the program refers to
   * that color or it has events; the runtime refers to the key as long, until a later lookup. So a
   * key that itself refers to its color is never collected: give such an object a {@link
   * #newColor}.
   *
   * @param key with {@code equals} and {@code hashCode} that do not change, do not block, and do
   *     not call the runtime. A {@code Long}, {@code Integer}, {@code Short} or {@code Byte} means
   *     the color of that {@linkplain #color(long) number}
   * @return its color
   */
  public Color color(Object key) {
    return table.get(ColorTable.key(key), scheduler::newColor);
  }

  /**
   * Makes a color that has no number and no key. The cores take turns to be its first one.
   *
   * @return a new color
   */
  public Color newColor() {
    return freshColors.next();
  }

  /**
   * Makes a color at a given core. It may be stolen from there.
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

  /** For tests of this package. */
  Scheduler scheduler() {
    return scheduler;
  }

  Timers timers() {
    return timers;
  }

  // ---- Registration

  /**
   * Registers an event: the handler will run with it, after all events of the color that were
   * registered before, by any thread. Takes constant time. If the event is an {@link Event},
   * nothing is allocated.
   *
   * @param color the color, of this runtime
   * @param handler what handles the event
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
   * Registers an event if there is room for it: as {@link #register(Color, Handler, Object)}, but
   * it neither waits nor throws where {@linkplain MelyBuilder#maxPending pending events are
   * bounded} and the bound is reached.
   *
   * @return whether the event has been registered; false: it is still the caller's, see {@link
   *     #whenRoom}
   * @throws IllegalArgumentException if the color belongs to another runtime
   * @throws IllegalStateException if the event is pending already
   * @throws RejectedExecutionException after shutdown began; handlers may register until it ends
   */
  public <E> boolean tryRegister(Color color, Handler<? super E> handler, E event) {
    return scheduler.tryPost(color, scheduler.node(color, handler, event));
  }

  /**
   * Tells when there is room again, in a color and in all: for a producer that must not wait, such
   * as a thread that polls several sources. That there is room when the future completes does not
   * keep it for the caller: try, and ask again.
   *
   * <p>What depends on the future runs on a worker, or, when shutdown begins, on the thread that
   * called that, unless the program calls an {@code Async} method or there is room already; it must
   * not block. Cancel the future if it is not needed any more. For events that may be {@linkplain
   * Handler#isDroppable dropped} there may be room before it completes.
   *
   * @param color the color, of this runtime
   * @return a new future: complete if there is room, or no bound; fails with a {@link
   *     RejectedExecutionException} when shutdown begins
   * @throws IllegalArgumentException if the color belongs to another runtime
   */
  public CompletableFuture<Void> whenRoom(Color color) {
    scheduler.check(color);
    Overload overload = scheduler.overload;
    return overload == null
        ? CompletableFuture.completedFuture(null)
        : new RoomNotice(scheduler, overload, color).begin();
  }

  /**
   * Pauses a color: what runs in it goes on to its end, no other event begins, and what is
   * registered waits, in order. From a handler of the color it takes effect when that returns. An
   * event with {@link Permissions} that has been granted the color counts as one that runs; one
   * that has to wait for a paused color may hold its other colors meanwhile. What is pending counts
   * for the {@linkplain MelyBuilder#maxPending bounds}. No effect if the color is paused already.
   * Shutdown rejects what is pending in a paused color.
   *
   * @param color the color, of this runtime; the runtime refers to it until it is resumed
   * @throws IllegalArgumentException if the color belongs to another runtime
   */
  public void pause(Color color) {
    scheduler.check(color);
    scheduler.pauses.pause(color);
  }

  /**
   * Resumes a color. No effect if it is not paused.
   *
   * @param color the color, of this runtime
   * @throws IllegalArgumentException if the color belongs to another runtime
   */
  public void resume(Color color) {
    StackReserve.check();
    scheduler.check(color);
    scheduler.pauses.resume(color);
  }

  /**
   * Registers an event that shall run as soon as a core is free: if its color is idle, it goes
   * ahead of the colors that wait at its core. If the color waits already it keeps its place, and
   * the event its place in the color: events of one color always run in the order of registration.
   * Other colors are not starved: every so often one of them has its turn.
   *
   * <p>Meant for the next step of a request whose data is still in the core's cache. Source:
   * libasync-smp, section 3 ({@code cpucb}).
   *
   * @param color the color, of this runtime
   * @param handler what handles the event
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
   * @param handler what handles the event; it is never {@linkplain Handler#isDroppable dropped}
   * @param event what it is given
   * @throws IllegalArgumentException if a color belongs to another runtime, or if two are pinned to
   *     different cores
   * @throws IllegalStateException if the event is pending already
   * @throws RejectedExecutionException as {@link #register(Color, Handler, Object)}; the event
   *     takes room in each of its colors
   */
  public <E> void register(Permissions asked, Handler<? super E> handler, E event) {
    if (Objects.requireNonNull(asked, "asked").isOneWriter()) {
      register(asked.color(0), handler, event);
      return;
    }
    StackReserve.check();
    granter.check(asked);
    Objects.requireNonNull(handler, "handler");
    granter.register(asked, handler, Objects.requireNonNull(event, "event"));
  }

  /**
   * Begins to fork the event that runs now, on the calling thread, into children that run in
   * parallel, and a continuation that runs when all of them have ended.
   *
   * @return a new fork, to which children are added
   * @throws IllegalStateException if it is not called from a handler
   */
  public Fork fork() {
    return Fork.of(granter, scheduler.currentCore());
  }

  /** Makes an emitter, without handlers. */
  public <T> Emitter<T> newEmitter() {
    return new Emitter<>(scheduler, granter, newColor());
  }

  // ---- Tasks

  /**
   * Registers a task as an event: {@link #register(Color, Handler, Object)} with a handler that
   * runs it, and that all tasks share.
   *
   * @throws RejectedExecutionException after shutdown began; handlers may register until it ends
   */
  public void execute(Color color, Runnable task) {
    register(color, RUN, Objects.requireNonNull(task, "task"));
  }

  /**
   * Registers a task as an event, and tells its result:
   *
   * <pre>{@code
   * mely.submit(account, () -> balance.get(name))
   *     .thenAcceptAsync(page::show, mely.executor(connection));
   * }</pre>
   *
   * <p>The future completes with what the task returns, or exceptionally with what it throws, an
   * {@code Error} included; the {@link ErrorHandler} is not told then. If the event is {@linkplain
   * Handler#rejected rejected} at the end of the runtime, the future completes exceptionally with a
   * {@link RejectedExecutionException}. A task whose future is cancelled, or completed otherwise,
   * before the task's turn does not run; one that runs already is not interrupted.
   *
   * <p>What depends on the future runs on the thread that completes it, so in the color on its
   * worker, unless the program calls an {@code Async} method or adds the dependent when the future
   * is complete already. (If the event is rejected it is the thread that finds that, if the future
   * is cancelled the one that cancels.) A handler must not wait for a future that its own color is
   * to complete: it would wait for ever.
   *
   * @return a new future
   * @throws IllegalArgumentException if the color belongs to another runtime
   * @throws RejectedExecutionException as {@link #register(Color, Handler, Object)}
   */
  public <T> CompletableFuture<T> submit(Color color, Callable<? extends T> task) {
    CompletableFuture<T> result = new CompletableFuture<>();
    register(color, Submission.HANDLER, new Submission<T>(task, result));
    return result;
  }

  /**
   * Registers an event, and tells when it has been handled.
   *
   * @return a new future, as that of {@link #submit(Color, Callable)}: it completes when the
   *     handler has returned, or exceptionally with what it throws. If the event is rejected, both
   *     {@link Handler#rejected} and the future are told
   * @throws IllegalArgumentException if the color belongs to another runtime
   * @throws IllegalStateException if the event is pending already
   * @throws RejectedExecutionException as {@link #register(Color, Handler, Object)}
   */
  public <E> CompletableFuture<Void> submit(Color color, Handler<? super E> handler, E event) {
    StackReserve.check();
    scheduler.check(color);
    Reply reply = new Reply(handler, event);
    scheduler.post(color, reply);
    return reply.result();
  }

  /**
   * Returns an executor whose tasks are events of a color. So any code that takes an executor can
   * run in a color, and come back into one:
   *
   * <pre>{@code
   * CompletableFuture.supplyAsync(() -> load(key), mely.executor(disk))
   *     .thenAcceptAsync(page -> answer(page), mely.executor(connection));
   * }</pre>
   *
   * <p>Its tasks exclude, and keep their order among, all other events of the color. They never run
   * in the calling thread before {@code execute} returns, not even if that thread is in the color.
   * What a task throws goes to the {@link ErrorHandler}, unless the task keeps it, as those of
   * {@code CompletableFuture} do. A task that is rejected at the end of the runtime never completes
   * its future.
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

  /**
   * Returns an executor whose tasks run in parallel: each is the only event of a fresh color. A
   * short task from a worker starts at that core, a long one where fewer colors wait, and idle
   * cores steal it; those of other threads are spread over the cores. Else it is as {@link
   * #executor(Color)}.
   *
   * @return one for the runtime, thread-safe
   */
  public Executor executor() {
    return freshColors;
  }

  /**
   * Returns an executor whose tasks are events that ask for several colors, or for one that they
   * only read.
   *
   * @param asked what each task asks for, in colors of this runtime
   * @return a new executor, thread-safe; {@code execute} fails as {@link #register(Permissions,
   *     Handler, Object)} does
   * @throws IllegalArgumentException if a color belongs to another runtime, or if two are pinned to
   *     different cores
   */
  public Executor executor(Permissions asked) {
    granter.check(Objects.requireNonNull(asked, "asked"));
    return task -> register(asked, RUN, task);
  }

  // ---- Timers

  /**
   * Registers an event after a delay.
   *
   * @param delay zero or more; a negative one counts as zero
   * @return a handle that can cancel it
   * @throws RejectedExecutionException after shutdown began
   */
  public <E> Timer schedule(Color color, Handler<? super E> handler, E event, Duration delay) {
    return new Timer(timers.set(color, handler, event, delay, 0));
  }

  /**
   * Registers an event that asks for several colors, or for one that it only reads, after a delay.
   * It begins to wait for its colors when the delay is over.
   *
   * @param asked what it asks for, in colors of this runtime
   * @param delay zero or more; a negative one counts as zero
   * @return a handle that can cancel it
   * @throws IllegalArgumentException if a color belongs to another runtime, or if two are pinned to
   *     different cores
   * @throws RejectedExecutionException after shutdown began
   */
  public <E> Timer schedule(
      Permissions asked, Handler<? super E> handler, E event, Duration delay) {
    if (Objects.requireNonNull(asked, "asked").isOneWriter()) {
      return schedule(asked.color(0), handler, event, delay);
    }
    return new Timer(TimedGrant.set(granter, timers, asked, handler, event, delay));
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
    return new Timer(timers.set(color, handler, event, delay, Timers.period("period", period)));
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
    return new Timer(timers.set(color, handler, event, delay, -Timers.period("pause", pause)));
  }

  /** Returns the view of this runtime for people and tools: statistics, a dump, its cores. */
  public Inspection inspect() {
    return inspection;
  }

  /**
   * Returns the pool of the core whose worker is calling: from it handlers take the objects of the
   * {@linkplain MelyBuilder#plan plan}. A color that has moved takes from its new core's pool; an
   * instance returns to the pool that it came from, on any thread.
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
   * then ends the workers. Events that could not run before the deadline are {@linkplain
   * Handler#rejected rejected}; a worker that is still in a handler then is interrupted once. If
   * anything was left, one warning to the system logger {@code dev.mely} says what, as the report
   * does. Calls after the first wait for it and return the same report.
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
   * {@linkplain #shutdown Shuts down}, and waits for pending events for {@link
   * MelyBuilder#closeTimeout}, ten seconds by default. Events that are left do not run.
   *
   * @throws IllegalStateException as {@link #shutdown}
   */
  @Override
  public void close() {
    shutdown(scheduler.settings.closeTimeout);
  }

  /** Returns whether shutdown has begun. */
  public boolean isShutdown() {
    return scheduler.phase() != Scheduler.OPEN;
  }
}
