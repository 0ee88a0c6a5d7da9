package dev.mely;

import dev.mely.pool.Pool;
import dev.mely.pool.PoolObject;
import dev.mely.spi.Poller;
import dev.mely.stage.Plan;
import dev.mely.topology.AllowedCpus;
import dev.mely.topology.Pinner;
import dev.mely.topology.Pinning;
import dev.mely.topology.Topology;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.ThreadFactory;
import org.jspecify.annotations.Nullable;

/**
 * Configures a {@link Mely}. Every setting has a default that works; the values are checked when
 * they are given, and the error names them. Not thread-safe; may build several runtimes.
 */
public final class MelyBuilder {
  /** In which order a core runs the colors that wait for it. */
  public enum Order {
    /** In turn, as in the paper (Mely, section IV-A). */
    ROTATION,

    /**
     * The color whose next batch is expected to be the shortest first, so that light colors do not
     * queue behind heavy ones; with aging: a color waits a bounded multiple of its turn. Long work
     * {@linkplain Handler.OfAction#background in the background} goes last.
     */
    CHEAPEST_FIRST
  }

  /** What happens to a registration when the limit of pending events is reached. */
  public enum Overflow {
    /** It fails with a {@link java.util.concurrent.RejectedExecutionException}. */
    REJECT,

    /** The caller waits for room, unless it is a handler: then the registration fails. */
    BLOCK
  }

  private static final int MAX_CORES = 4096;

  private final Settings settings;
  private boolean pinned;
  private @Nullable ThreadFactory threadFactory;
  private Poller.@Nullable Factory pollers;
  private @Nullable AllowedCpus allowed;
  private @Nullable Topology topology;

  MelyBuilder() {
    this(new Settings());
  }

  private MelyBuilder(Settings settings) {
    this.settings = settings;
  }

  /**
   * Sets the number of cores, that is workers. Default: one for each CPU that this process may use,
   * no more than its CPU quota, and no more than {@code -XX:ActiveProcessorCount}.
   *
   * @param cores 1 to 4096; 0: the default
   * @return this
   * @throws IllegalArgumentException if out of range
   */
  public MelyBuilder cores(int cores) {
    settings.cores = (int) inRange("cores", cores, 0, MAX_CORES);
    return this;
  }

  /**
   * Sets which stealing heuristics are on. Default: {@link StealPolicy#ALL}.
   *
   * @param policy the policy
   * @return this
   */
  public MelyBuilder policy(StealPolicy policy) {
    settings.policy = Objects.requireNonNull(policy, "policy");
    return this;
  }

  /**
   * Sets how many events of one color may run in a row while others wait. Default: 10 (Mely,
   * section IV-A).
   *
   * @param events 1 or more
   * @return this
   * @throws IllegalArgumentException if out of range
   */
  public MelyBuilder batch(int events) {
    settings.batch = (int) inRange("batch", events, 1, Integer.MAX_VALUE);
    return this;
  }

  /**
   * Sets after how much handler time a batch ends, even if it had fewer events than {@link #batch}
   * allows. Handlers below twenty microseconds count with their average. Default: 50 microseconds.
   *
   * @param time more than zero
   * @return this
   * @throws IllegalArgumentException if zero or negative
   */
  public MelyBuilder batchTime(Duration time) {
    settings.batchNanos = positive("batchTime", time);
    return this;
  }

  /**
   * Sets how long a busy core may go without looking for external events and due timers. Default:
   * 200 microseconds; a running handler is not interrupted for it.
   *
   * @param time more than zero
   * @return this
   * @throws IllegalArgumentException if zero or negative
   */
  public MelyBuilder pollInterval(Duration time) {
    settings.pollNanos = positive("pollInterval", time);
    return this;
  }

  /**
   * Sets after how long inside one handler a core counts as stuck: idle cores then take its other
   * colors, worthy or not, and look for its external events and timers. Default: 4 milliseconds. No
   * effect where stealing is off.
   *
   * @param time more than zero
   * @return this
   * @throws IllegalArgumentException if zero or negative
   */
  public MelyBuilder stuckAfter(Duration time) {
    settings.stuckAfterNanos = positive("stuckAfter", time);
    return this;
  }

  /**
   * Sets how long a handler may run before it is {@linkplain ErrorHandler#onBlocked reported} as
   * blocking its core. Default: 500 milliseconds.
   *
   * @param time zero: no reports
   * @return this
   * @throws IllegalArgumentException if negative
   */
  public MelyBuilder reportBlockedAfter(Duration time) {
    settings.reportBlockedNanos = Nanos.of(notNegative("reportBlockedAfter", time));
    return this;
  }

  /**
   * Sets how long {@link Mely#close} waits for pending events before it rejects them. Default: 10
   * seconds.
   *
   * @param time zero: they are rejected at once
   * @return this
   * @throws IllegalArgumentException if negative
   */
  public MelyBuilder closeTimeout(Duration time) {
    settings.closeTimeout = notNegative("closeTimeout", time);
    return this;
  }

  /**
   * Sets in which order a core runs the colors that wait for it. Default: {@link Order#ROTATION}.
   *
   * @param order the order
   * @return this
   */
  public MelyBuilder order(Order order) {
    settings.cheapestFirst = Objects.requireNonNull(order, "order") == Order.CHEAPEST_FIRST;
    return this;
  }

  /**
   * Sets which of several worthy colors a thief takes: the one that has waited longest for its turn
   * (good for tail latency), or one with the most work pending, as in the paper. Default: false.
   *
   * @param oldest true: the one that has waited longest
   * @return this
   */
  public MelyBuilder stealOldest(boolean oldest) {
    settings.stealsOldest = oldest;
    return this;
  }

  /**
   * Bounds the number of pending events in all. Default: 0, no bound.
   *
   * @param events 1 to 2^40; 0: no bound
   * @return this
   * @throws IllegalArgumentException if out of range
   */
  public MelyBuilder maxPending(long events) {
    settings.maxPending = inRange("maxPending", events, 0, 1L << 40);
    return this;
  }

  /**
   * Bounds the number of pending events of each color. Default: 0, no bound. What has no room is
   * treated as {@link #overflow} says, except events of {@linkplain Handler#isDroppable droppable}
   * handlers: they are let in and the color's oldest events are dropped when it has its turn; up to
   * twice the bound may be pending until then.
   *
   * @param events 1 to 2^30; 0: no bound
   * @return this
   * @throws IllegalArgumentException if out of range
   */
  public MelyBuilder maxPendingPerColor(int events) {
    settings.maxPendingPerColor = (int) inRange("maxPendingPerColor", events, 0, 1 << 30);
    return this;
  }

  /**
   * Sets what happens to a registration that finds no room. Default: {@link Overflow#REJECT}. No
   * effect without a bound.
   *
   * @param overflow what to do
   * @return this
   */
  public MelyBuilder overflow(Overflow overflow) {
    settings.blocksProducers = Objects.requireNonNull(overflow, "overflow") == Overflow.BLOCK;
    return this;
  }

  /**
   * Sets how many times an idle worker looks around before it parks. Each 16th time it offers its
   * CPU to other threads ({@link Thread#yield}). Default: 200.
   *
   * @param spins 0 to 1,000,000
   * @return this
   * @throws IllegalArgumentException if out of range
   */
  public MelyBuilder spins(int spins) {
    settings.spins = (int) inRange("spins", spins, 0, 1_000_000);
    return this;
  }

  /**
   * Sets whether each worker is pinned to one CPU, as in the paper. Default: false.
   *
   * <p>On Linux <b>all that a handler starts inherits the worker's one CPU</b>: threads, pools that
   * grow, parallel streams, the carriers of virtual threads (all of them, for their life, if a
   * handler is the first to use them), child processes. {@link Runtime#availableProcessors} answers
   * 1 to a handler. {@link dev.mely.pinning.Unpinned} starts what needs more; the runtime's own
   * threads are not concerned.
   *
   * <p>Pinning needs the library OpenHFT Affinity, on which the program itself depends; without it
   * {@link #build} fails and names the artifacts.
   *
   * <p>The pin takes the place of any mask that the thread factory has given the thread. Where
   * pinning is not possible (virtual threads), not permitted, or unwise (more workers than CPUs, a
   * CPU quota without a CPU set), the runtime logs why, once, and goes on unpinned.
   *
   * @param pinned whether to pin
   * @return this
   */
  public MelyBuilder pinned(boolean pinned) {
    this.pinned = pinned;
    return this;
  }

  /**
   * Sets the factory of the workers' threads. Default: daemon threads named {@code mely-0}, {@code
   * mely-1}, ...
   *
   * @param factory called once per core
   * @return this
   */
  public MelyBuilder threadFactory(ThreadFactory factory) {
    this.threadFactory = Objects.requireNonNull(factory, "factory");
    return this;
  }

  /**
   * Sets what idle workers wait on: a transport, see {@link dev.mely.spi}. Default: they park.
   *
   * @param pollers called once per core
   * @return this
   */
  public MelyBuilder pollers(Poller.Factory pollers) {
    this.pollers = Objects.requireNonNull(pollers, "pollers");
    return this;
  }

  /**
   * Sets the error handler, which is called with what handlers throw. Default: it is logged to the
   * system logger {@code dev.mely}.
   *
   * @param handler called on the worker
   * @return this
   */
  public MelyBuilder errorHandler(ErrorHandler handler) {
    settings.errors = new Errors(Objects.requireNonNull(handler, "handler"));
    return this;
  }

  /**
   * Sets whether the program's stages are recorded: which handler registers which, what each costs,
   * allocates and frees; see {@link Inspection#stages}. Default: false, and then it costs nothing.
   * If true, every run of a handler is timed, which costs some hundred nanoseconds an event.
   *
   * @param recorded whether to record
   * @return this
   */
  public MelyBuilder recordStages(boolean recorded) {
    settings.recordsStages = recorded;
    return this;
  }

  /**
   * Bounds the program's memory: each core has a {@linkplain Mely#pool pool} with the number of
   * instances that the plan gives each object, and asks it before it runs a handler whose
   * {@linkplain Handler#stage stage} allocates one of them, by the plan or else by the annotations
   * of {@link Handler#parts}. If none is left, the color waits, and others go on; handlers that
   * free are always run. A color that has waited too long, from 10 milliseconds on, runs all the
   * same: a wrong plan costs time, never an event. The pool is not asked for events that hold
   * {@linkplain Permissions permissions}. Default: no plan.
   *
   * <p>Source: Stingy Allocator (ISMM'06), section 3.2.
   *
   * @param plan for the working set of one core
   * @return this
   * @throws IllegalArgumentException if its objects take more than 2 GiB
   */
  public MelyBuilder plan(Plan plan) {
    long bytes = Pool.slabSize(PoolObject.of(plan));
    inRange("bytes of the plan", bytes, 0, Pool.MAX_BYTES);
    settings.plan = plan;
    return this;
  }

  /**
   * Sets what is called before the runtime is shut down or closed, and may refuse it. For a library
   * that owns the runtime and hands it out, as an event loop group does: its guard throws an {@link
   * IllegalStateException} that says what is to be shut down instead. Not called any more when the
   * shutdown has begun. Default: nothing.
   *
   * @param guard called by each {@link Mely#shutdown} and {@link Mely#close}, on the calling
   *     thread; what it throws comes out there, and nothing has been shut down then
   * @return this
   */
  public MelyBuilder shutdownGuard(Runnable guard) {
    settings.shutdownGuard = Objects.requireNonNull(guard, "guard");
    return this;
  }

  /**
   * For tests: a color that wakes up, or whose batch is over, goes to a core drawn at random. It
   * shows code that relies on a thread rather than on its color. Comes before {@link
   * RandomMigration#PROPERTY}.
   */
  MelyBuilder randomMigration(long seed) {
    settings.randomMigration = true;
    settings.seed = seed;
    return this;
  }

  /** For tests: the machine to assume in place of the real one. */
  MelyBuilder machine(AllowedCpus allowed, Topology topology) {
    this.allowed = Objects.requireNonNull(allowed, "allowed");
    this.topology = Objects.requireNonNull(topology, "topology");
    return this;
  }

  /**
   * Returns a builder with the same settings, which may be changed independently.
   *
   * @return a new builder
   */
  public MelyBuilder copy() {
    MelyBuilder copy = new MelyBuilder(settings.copy());
    copy.pinned = pinned;
    copy.threadFactory = threadFactory;
    copy.pollers = pollers;
    copy.allowed = allowed;
    copy.topology = topology;
    return copy;
  }

  /**
   * Starts the workers: all of them, or none. If a poller or a thread cannot be made or started,
   * what the factories or the virtual machine have thrown comes out of here. By then each poller
   * that was made has been {@linkplain Poller#close closed} once, and the workers that were running
   * have ended; a worker whose thread is still in the thread factory's own code ends as soon as it
   * leaves it.
   *
   * <p>The workers are daemon threads, unless a {@linkplain #threadFactory thread factory} makes
   * others: they do not keep the process alive. A program whose {@code main} returns while events
   * are pending ends without them; {@link Mely#close} waits for them.
   *
   * <p>The system property {@code dev.mely.randomMigration=<seed>} switches random migration on, a
   * test switch: a color that wakes up, or whose batch is over, goes to a core drawn at random. It
   * shows code that relies on a thread rather than on its color.
   *
   * @return a running runtime
   * @throws IllegalArgumentException if that property is set and is no whole number
   * @throws IllegalStateException if the workers are to be {@linkplain #pinned pinned} and the
   *     library for it is missing
   */
  public Mely build() {
    AllowedCpus may = allowed != null ? allowed : AllowedCpus.system();
    Topology caches = topology != null ? topology : Topology.system();
    Settings fixed = settings.copy();
    int[] cpus = CpuLayout.place(fixed, may, caches);
    Long seed = fixed.randomMigration ? null : RandomMigration.seed();
    if (seed != null) {
      fixed.randomMigration = true;
      fixed.seed = seed;
    }
    Pinner pinner = pinned ? Pinning.advised(may, cpus.length) : Pinning.none();
    Host host =
        new SystemHost(
            threadFactory != null ? threadFactory : Construction.daemonThreads(), pinner, cpus);
    Poller.Factory polling = pollers != null ? pollers : host::newPoller;
    // A handler of a pinned runtime may build another one, whose threads are not to be confined.
    return Pinning.unpinned(() -> new Mely(host, fixed, polling, cpus));
  }

  private static long inRange(String name, long value, long min, long max) {
    if (value < min || value > max) {
      throw new IllegalArgumentException(
          name + " must be between " + min + " and " + max + ", but is " + value);
    }
    return value;
  }

  private static Duration notNegative(String name, Duration time) {
    if (Objects.requireNonNull(time, "time").isNegative()) {
      throw new IllegalArgumentException(name + " must be zero or more, but is " + time);
    }
    return time;
  }

  /** In nanoseconds. */
  private static long positive(String name, Duration time) {
    if (Objects.requireNonNull(time, "time").isZero() || time.isNegative()) {
      throw new IllegalArgumentException(name + " must be more than zero, but is " + time);
    }
    return Nanos.of(time);
  }
}
