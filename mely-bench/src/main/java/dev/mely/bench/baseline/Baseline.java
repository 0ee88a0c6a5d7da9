package dev.mely.bench.baseline;

import dev.mely.jit.Boundary;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * The main loop of both baselines: a pinned thread per core runs what is in its queue and, if
 * stealing is on, looks at the others' when there is nothing (Mely, Figure 2). It spins, as in the
 * papers; after a while of nothing it naps, so that a baseline at rest lets others have the CPU.
 *
 * @param <C> what stands for a color
 * @param <K> a core
 */
abstract class Baseline<C, K extends Core> implements Contestant<C> {
  /** About a millisecond. */
  private static final int SPINS = 10_000;

  /** So many events, or looks for one, are a turn. */
  private static final int TURN = 64;

  private static final long NAP_NANOS = 50_000;

  final List<K> cores = new ArrayList<>();
  private final boolean stealing;
  final Platform platform;
  private volatile boolean ending;

  Baseline(boolean stealing, Platform platform) {
    this.stealing = stealing;
    this.platform = platform;
  }

  /** Runs one event. Returns false if none waits here. Only the core's own worker. */
  abstract boolean runOne(K core);

  /** Looks for a color to steal, and takes it. Only the core's own worker. */
  abstract boolean steal(K thief);

  /** Starts the workers: last in a constructor. */
  final void start() {
    for (K core : cores) {
      platform.start(core.index, () -> loop(core));
    }
  }

  private void loop(K core) {
    while (!ending) {
      turn(core);
    }
  }

  /** Apart from the loop, which never ends, as in Mely's own worker: see {@link Boundary}. */
  private void turn(K core) {
    if (Boundary.FILLS) {
      Boundary.fill(
          0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
          0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
          0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    }
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
   * Lets a core do what it would do next, on {@link VirtualCores}.
   *
   * @param core its number, from 0
   * @return false if there was nothing to run, nor to steal
   */
  public final boolean step(int core) {
    return step(cores.get(core));
  }

  private boolean step(K core) {
    return runOne(core) || (stealing && steal(core));
  }

  /**
   * {@code migrate} needs both locks at once: a producer that came in between them would overtake
   * the stolen events, or find the color nowhere (the race in Mely's Figure 2). The lower number
   * first, or two thieves could wait for each other.
   */
  static void lockBoth(Core a, Core b) {
    (a.index < b.index ? a : b).lock.lock();
    (a.index < b.index ? b : a).lock.lock();
  }

  static void unlockBoth(Core a, Core b) {
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
