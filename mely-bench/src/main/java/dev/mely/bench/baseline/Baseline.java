package dev.mely.bench.baseline;

import dev.mely.jit.OwnCompilation;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntBinaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The main loop of both baselines: a pinned thread per core runs its queue and, if stealing is on,
 * steals from the other cores when the queue is empty (Mely, Figure 2). It spins, as in the papers;
 * after a while without work it sleeps for short times, so that an idle baseline leaves the CPU to
 * others.
 *
 * @param <C> type of a color
 * @param <U> unit of stealing
 * @param <K> a core
 */
abstract class Baseline<C, U, K extends Core<U>> implements Contestant<C> {
  /** About a millisecond. */
  private static final int SPINS = 10_000;

  /** Number of events, or failed searches, per turn. */
  private static final int TURN = 64;

  private static final long NAP_NANOS = 50_000;

  final List<K> cores = new ArrayList<>();
  private final List<CoreSet<K>> coreSets = new ArrayList<>();
  private final boolean stealing;
  final Platform platform;
  private volatile boolean ending;

  Baseline(boolean stealing, Platform platform) {
    this.stealing = stealing;
    this.platform = platform;
  }

  /** Takes the event to run next, if there is any. Under the core's lock. */
  abstract @Nullable Job next(K core);

  /** Whether an event is running, or was at the last call. */
  abstract boolean runs(K core);

  /** Whether the core is running the stolen unit. Only the core's own worker. */
  abstract boolean isIn(K core, U stolen, @Nullable Job next);

  /**
   * Whether there may be something to steal: a check without the lock, which would slow the victim.
   */
  abstract boolean mayHavePrey(K victim);

  /** Chooses and takes what to steal; null if there is nothing. Under the locks of both. */
  abstract @Nullable U take(K thief, K victim);

  /** Called with the cost of a steal. */
  void stole(long nanos) {}

  /** Runs one event. Returns false if none waits here. Only the core's own worker. */
  private boolean runOne(K core) {
    if (core.load.get() == 0 && !runs(core)) {
      return false;
    }
    core.lock.lock();
    Job job = next(core);
    core.lock.unlock();
    U stolen = core.stolen;
    if (stolen != null && !isIn(core, stolen, job)) {
      core.stolenNanos += platform.nanos() - core.stolenSince;
      core.stolen = null;
    }
    if (job == null) {
      return false;
    }
    job.run();
    return true;
  }

  /** Looks for a color to steal, and takes it. Only the core's own worker. */
  private boolean steal(K thief) {
    return coreSets.get(thief.index).any(victim -> mayHavePrey(victim) && steal(thief, victim));
  }

  private boolean steal(K thief, K victim) {
    long start = platform.nanos();
    lockBoth(thief, victim);
    U taken = take(thief, victim);
    unlockBoth(thief, victim);
    if (taken == null) {
      return false;
    }
    long end = platform.nanos();
    thief.steals++;
    thief.stealNanos += end - start;
    thief.stolen = taken;
    thief.stolenSince = end;
    stole(end - start);
    return true;
  }

  /**
   * Starts the workers: last in a constructor.
   *
   * @param distance by which a thief orders the others
   */
  final void start(IntBinaryOperator distance) {
    for (int i = 0; i < cores.size(); i++) {
      coreSets.add(new CoreSet<>(cores, i, distance));
    }
    for (K core : cores) {
      platform.start(core.index, () -> loop(core));
    }
  }

  private void loop(K core) {
    while (!ending) {
      turn(core);
    }
  }

  /** Apart from the endless loop, as in Mely's own worker: see {@link OwnCompilation}. */
  @OwnCompilation
  private void turn(K core) {
    int idle = core.idle;
    for (int i = 0; i < TURN; i++) {
      if (step(core)) {
        idle = 0;
      } else if (++idle < SPINS) {
        Thread.onSpinWait();
      } else {
        core.parks++;
        LockSupport.parkNanos(this, NAP_NANOS);
        break;
      }
    }
    core.idle = idle;
  }

  /**
   * Makes a core's next step, on {@link VirtualCores}.
   *
   * @param core its number, from 0
   * @return false if there was nothing to run or to steal
   */
  public final boolean step(int core) {
    return step(cores.get(core));
  }

  private boolean step(K core) {
    return runOne(core) || (stealing && steal(core));
  }

  /**
   * {@code migrate} needs both locks at once: a producer that ran between them would overtake the
   * stolen events, or not find the color (the race in Mely's Figure 2). The lower number first, or
   * two thieves could deadlock.
   */
  private static void lockBoth(Core<?> a, Core<?> b) {
    (a.index < b.index ? a : b).lock.lock();
    (a.index < b.index ? b : a).lock.lock();
  }

  private static void unlockBoth(Core<?> a, Core<?> b) {
    a.lock.unlock();
    b.lock.unlock();
  }

  @Override
  public final int cores() {
    return cores.size();
  }

  @Override
  public final Worker worker() {
    return Crew.current();
  }

  @Override
  public final long counted() {
    return platform.counted();
  }

  @Override
  public final Figures figures() {
    long steals = 0;
    long stolenNanos = 0;
    long stealNanos = 0;
    long parks = 0;
    long locks = 0;
    long lockNanos = 0;
    for (K core : cores) {
      steals += core.steals;
      stolenNanos += core.stolenNanos;
      stealNanos += core.stealNanos;
      parks += core.parks;
      locks += core.lock.taken();
      lockNanos += core.lock.waitedNanos();
    }
    return new Figures(
        steals, stolenNanos, stealNanos, 0, parks, 0, locks, lockNanos, platform.bytes());
  }

  @Override
  public final void close() {
    ending = true;
    platform.join();
  }
}
