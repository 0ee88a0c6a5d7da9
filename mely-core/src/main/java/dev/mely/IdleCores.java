package dev.mely;

import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * Which workers sleep, which search, and which one is woken.
 *
 * <h2>Protocol</h2>
 *
 * <pre>
 *   worker                                   producer
 *   1. search: nothing found                 a. put the color into the ring   (full fence)
 *   2. parked := PARKED        (volatile)    b. read parked of the home core  (volatile)
 *   3. look again: own ring, victims         c. PARKED: compare-and-set to AWAKE,
 *   4. wait in the poller                       and the one that wins wakes the poller
 *   5. parked := AWAKE
 * </pre>
 *
 * <p>This is the Dekker pattern: both sides store, then load, and all four accesses are
 * sequentially consistent. So either the producer's (b) sees (2), or the worker's (3) sees (a).
 * Release and acquire would not do (the outcome in which both miss is observable on x86). The
 * poller's wake-up is sticky, so one between (3) and (4) is kept.
 *
 * <p>Waking a thief costs the producer a microsecond or more, so few are woken: at most one at a
 * time of those that share a cache is on its way or searching ({@link #searching}); one that finds
 * work calls the next if there is more. If a call is missed in a race, nothing is lost: a color's
 * own core always runs it.
 */
final class IdleCores {
  private static final int MAX_WATCHERS = 2;

  /** Number of parked workers. A hint that spares producers the search for a sleeper. */
  private final PaddedInt idle = new PaddedInt();

  /** Number of workers that search, or have been called to, by cache. */
  private final PaddedInt[] searching;

  /** The cache of each core. */
  private final int[] domains;

  /**
   * Number of watchers: idle workers that wake up now and then to look for stuck cores. Two, so
   * that the first may go to work without having to wake the next.
   */
  private final PaddedInt watching = new PaddedInt();

  /**
   * @param domains by core: which cache it shares, from 0
   */
  IdleCores(int... domains) {
    this.domains = domains.clone();
    this.searching = new PaddedInt[1 + IntStream.of(domains).max().orElse(0)];
    Arrays.setAll(searching, i -> new PaddedInt());
  }

  private PaddedInt searching(Core core) {
    return searching[domains[core.index]];
  }

  // ---- Workers

  /** Step 2. The caller must look again before it waits. */
  void publishParked(Core core) {
    core.parked.setVolatile(Core.PARKED);
    idle.getAndAdd(1);
  }

  /**
   * Step 5.
   *
   * @return whether the worker was called to search: it counts as searching already
   */
  boolean retractParked(Core core) {
    if (core.parked.compareAndSet(Core.PARKED, Core.AWAKE)) {
      idle.getAndAdd(-1);
      return false;
    }
    boolean called = core.parked.getVolatile() == Core.CALLED;
    core.parked.setOpaque(Core.AWAKE);
    return called;
  }

  void startSearching(Core core) {
    searching(core).getAndAdd(1);
  }

  void stopSearching(Core core) {
    searching(core).getAndAdd(-1);
  }

  /** Becomes a watcher, if there are not enough. */
  boolean startWatching() {
    int watchers = watching.getVolatile();
    while (watchers < MAX_WATCHERS) {
      if (watching.compareAndSet(watchers, watchers + 1)) {
        return true;
      }
      watchers = watching.getVolatile();
    }
    return false;
  }

  void stopWatching() {
    watching.getAndAdd(-1);
  }

  boolean isWatched() {
    return watching.getVolatile() > 0;
  }

  // ---- Producers

  /** Steps b and c, after something was put into the core's own ring. */
  boolean wakeHome(Core core) {
    if (core.parked.getVolatile() == Core.PARKED
        && core.parked.compareAndSet(Core.PARKED, Core.AWAKE)) {
      idle.getAndAdd(-1);
      core.wakeUp();
      return true;
    }
    return false;
  }

  /** Cheap check before {@link #callThief}: a worker sleeps, and none searches near the victim. */
  boolean mayCallThief(Core victim) {
    return idle.getVolatile() > 0 && searching(victim).getVolatile() == 0;
  }

  /**
   * Calls one sleeper to search, unless one that shares a cache with the victim, or with the
   * sleeper, searches already.
   *
   * @param victim the core to steal from
   * @param candidates cores in the order of preference
   * @return whether one was called
   */
  boolean callThief(Core victim, Core[] candidates) {
    if (searching(victim).getVolatile() != 0) {
      return false; // also if no worker near is parked any more
    }
    for (Core core : candidates) {
      if (core.parked.getVolatile() != Core.PARKED) {
        continue;
      }
      PaddedInt near = searching(core);
      if (near.compareAndSet(0, 1)) {
        if (core.parked.compareAndSet(Core.PARKED, Core.CALLED)) {
          idle.getAndAdd(-1);
          core.wakeUp();
          return true;
        }
        near.getAndAdd(-1);
      } else if (near == searching(victim)) {
        return false;
      }
    }
    return false;
  }

  /** Number of parked workers, a snapshot. */
  int idle() {
    return idle.getVolatile();
  }

  /** Number of searching workers, a snapshot. */
  int searching() {
    int sum = 0;
    for (PaddedInt domain : searching) {
      sum += domain.getVolatile();
    }
    return sum;
  }
}
