package dev.mely;

import java.util.SplittableRandom;

/**
 * A world without threads: virtual time, seeded randomness, and workers that wait by being left out
 * of the draw. Stands in for {@link SystemHost} under {@link Schedule}.
 */
final class SimHost implements Host {
  private final SplittableRandom random;
  private final SimPoller[] pollers;
  private long now = 1_000_000;

  /** The core whose worker is making a step, or -1. */
  private int current = -1;

  SimHost(long seed, int cores) {
    random = new SplittableRandom(seed ^ 0x5DEECE66DL);
    pollers = new SimPoller[cores];
    for (int i = 0; i < cores; i++) {
      pollers[i] = new SimPoller();
    }
  }

  @Override
  public long nanos() {
    return now;
  }

  void advance(long nanos) {
    now += nanos;
  }

  void advanceTo(long time) {
    now = Math.max(now, time);
  }

  @Override
  public int random(int bound) {
    return random.nextInt(bound);
  }

  @Override
  public boolean isCurrent(Core core) {
    return core.index == current;
  }

  void enter(int core) {
    current = core;
  }

  void leave() {
    current = -1;
  }

  /** Says so now and then, right or wrong: it is a hint. */
  @Override
  public boolean isWaiting(Core core) {
    return random.nextInt(4) == 0;
  }

  @Override
  public void pause(long nanos) {
    throw new AssertionError("two workers in one poller, though each looks in one step");
  }

  @Override
  public Poller newPoller(int core) {
    return pollers[core];
  }

  SimPoller poller(int core) {
    return pollers[core];
  }

  @Override
  public Thread newThread(Worker worker, int core) {
    throw new UnsupportedOperationException("there are no threads here");
  }

  /** Remembers until when its worker sleeps. A wake-up is sticky. */
  final class SimPoller implements Poller {
    private boolean waiting;
    private boolean woken;
    private long until;

    @Override
    public int poll(long maxWaitNanos) {
      if (maxWaitNanos > 0) {
        waiting = true;
        until = maxWaitNanos == Long.MAX_VALUE ? Long.MAX_VALUE : now + maxWaitNanos;
      }
      return 0;
    }

    @Override
    public void wakeup() {
      woken = true;
    }

    /** Whether the worker sleeps at this moment. */
    boolean isAsleep() {
      return waiting && !woken && now < until;
    }

    /** When it will wake up by itself; {@link Long#MAX_VALUE}: never. */
    long until() {
      return until;
    }

    /** The worker goes on. */
    void awake() {
      waiting = false;
      woken = false;
    }
  }
}
