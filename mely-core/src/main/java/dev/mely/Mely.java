package dev.mely;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
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
public final class Mely implements AutoCloseable {
  private static final Duration CLOSE_TIME = Duration.ofSeconds(10);

  private static final Handler<Runnable> RUN = Handler.of(Runnable::run);

  private final Scheduler scheduler;
  private final ColorTable table = new ColorTable();
  private final Color defaultColor;
  private final AtomicInteger nextCore = new AtomicInteger();
  private final int[] cpus;
  private final Shutdown ending;
  private final @Nullable Watchdog watchdog;

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
    this.scheduler = new Scheduler(host, settings, pollers);
    this.cpus = cpus.clone();
    this.watchdog =
        settings.blockedNanos() == 0 ? null : new Watchdog(scheduler, settings.blockedNanos());
    this.ending = new Shutdown(scheduler, watchdog);
    this.defaultColor = color(0);
    for (int i = 0; i < scheduler.cores(); i++) {
      Core core = scheduler.core(i);
      core.attach(host.newThread(core.worker(), i));
    }
    // Not before all have their thread: a worker looks at its neighbors.
    for (int i = 0; i < scheduler.cores(); i++) {
      scheduler.core(i).startedThread().start();
    }
    if (watchdog != null) {
      watchdog.start();
    }
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
    return scheduler.newColor(scheduler.core(core).index, false);
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
    return scheduler.newColor(scheduler.core(core).index, true);
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
    scheduler.post(color, node(color, handler, event));
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
   * @throws RejectedExecutionException as {@link #register}
   */
  public <E> void registerUrgent(Color color, Handler<? super E> handler, E event) {
    scheduler.postUrgent(color, node(color, handler, event));
  }

  private <E> Event node(Color color, Handler<? super E> handler, E event) {
    checkColor(color);
    Event node;
    if (event instanceof Event own) {
      node = own;
    } else {
      node = new Envelope(Objects.requireNonNull(event, "event"));
    }
    node.attach(Objects.requireNonNull(handler, "handler"));
    return node;
  }

  /**
   * Registers a task as an event: {@link #register} with a shared handler that runs it.
   *
   * @param color the color, of this runtime
   * @param task what to run
   * @throws RejectedExecutionException after shutdown began; handlers may register until it ends
   */
  public void execute(Color color, Runnable task) {
    register(color, RUN, task);
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
    return start(color, handler, event, delay, 0);
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
    return start(color, handler, event, delay, checkPeriod(period));
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
    return start(color, handler, event, delay, -checkPeriod(pause));
  }

  private <E> Timer start(
      Color color, Handler<? super E> handler, E event, Duration delay, long period) {
    checkColor(color);
    Objects.requireNonNull(handler, "handler");
    Objects.requireNonNull(event, "event");
    if (scheduler.phase() != Scheduler.OPEN) {
      throw new RejectedExecutionException("the runtime has been shut down");
    }
    long deadline = scheduler.host.nanos() + Nanos.of(delay);
    TimerEvent timer = new TimerEvent(color, handler, event, deadline, period);
    scheduler.schedule(timer);
    return timer;
  }

  private static long checkPeriod(Duration period) {
    if (period.isZero() || period.isNegative()) {
      throw new IllegalArgumentException("period must be more than zero, but is " + period);
    }
    return Nanos.of(period);
  }

  private void checkColor(Color color) {
    if (color.scheduler != scheduler) {
      throw new IllegalArgumentException(color + " belongs to another runtime");
    }
  }

  // ---- Looking at it

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
   * Returns the CPU that a core's worker is meant for.
   *
   * @param core number of the core, from 0
   * @return the operating system's number of the CPU
   * @throws IllegalArgumentException if there is no such core
   */
  public int cpu(int core) {
    return cpus[scheduler.core(core).index];
  }

  /**
   * Returns which heuristics are on.
   *
   * @return the policy that the runtime was built with
   */
  public StealPolicy policy() {
    return scheduler.policy;
  }

  /**
   * Returns what the cores have done so far.
   *
   * @return a snapshot
   */
  public Statistics statistics() {
    List<Statistics.PerCore> cores = new ArrayList<>();
    long now = scheduler.host.nanos();
    for (int i = 0; i < scheduler.cores(); i++) {
      long blocked = watchdog == null ? 0 : watchdog.reports(i);
      cores.add(Statistics.PerCore.of(scheduler.core(i), now, blocked));
    }
    Overload overload = scheduler.overload;
    return overload == null
        ? new Statistics(cores, 0, 0, 0)
        : new Statistics(cores, overload.refused(), overload.dropped(), overload.blocked());
  }

  /**
   * Returns how many colors wait for a core: the length of its queue.
   *
   * @param core number of the core, from 0
   * @return a recent number; may count some colors that have been stolen
   * @throws IllegalArgumentException if there is no such core
   */
  public int colorsWaiting(int core) {
    return scheduler.core(core).queue.size();
  }

  /**
   * Returns what the runtime takes a steal to cost now: a color with less work than this is not
   * worth stealing.
   *
   * @return nanoseconds
   */
  public long stealCostNanos() {
    return scheduler.worthiness.stealNanos();
  }

  /**
   * Describes what each core does at this moment, for people: what it runs, and for how long if it
   * is stuck; what waits, lane by lane; its timers; its hottest colors; and the statistics. Stops
   * nobody: what is said of different cores, or even of one, need not have been true at one
   * instant. Fit for production.
   *
   * @return several lines of text; their form may change
   */
  public String dump() {
    return new Dump(scheduler, watchdog, cpus).text() + statistics();
  }

  // ---- The end

  /**
   * Ends the runtime: refuses new events from outside, drops pending timers, runs what is pending,
   * then ends the workers. What could not run before the deadline is {@linkplain Handler#rejected
   * rejected}; a worker that is still in a handler then is interrupted once. Calls after the first
   * wait for it and return the same report.
   *
   * @param deadline how long to wait for pending events; zero: reject them at once
   * @return what was left
   * @throws IllegalStateException if called from a handler, which would wait for itself
   */
  public ShutdownReport shutdown(Duration deadline) {
    if (scheduler.currentCore() != null) {
      throw new IllegalStateException("shutdown would wait for the handler that calls it");
    }
    return ending.run(deadline);
  }

  /** Shuts down and waits up to ten seconds for pending events. */
  @Override
  public void close() {
    shutdown(CLOSE_TIME);
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
    for (int i = 0; i < scheduler.cores(); i++) {
      if (scheduler.core(i).startedThread().isAlive()) {
        return false;
      }
    }
    return true;
  }
}
