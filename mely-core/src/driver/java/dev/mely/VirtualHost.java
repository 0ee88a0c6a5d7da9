package dev.mely;

import dev.mely.spi.Poller;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * A world without threads: its driver says what time it is and which core's worker makes a step,
 * and workers that wait are left out. Stands in for {@link SystemHost} under the tests' driver and
 * under the simulator of {@code mely-bench}.
 *
 * <p>Not thread-safe. Source: the seam is {@link Host}, and {@link Worker#step}.
 */
class VirtualHost implements Host {
  private static final int NOBODY = -1;

  private final SplittableRandom random;
  private final VirtualPoller[] pollers;

  private long now = 1_000_000;

  /** The core whose worker is making a step. */
  private int current = NOBODY;

  VirtualHost(long seed, int cores) {
    random = new SplittableRandom(seed ^ 0x5DEECE66DL);
    pollers = new VirtualPoller[cores];
    for (int i = 0; i < cores; i++) {
      pollers[i] = new VirtualPoller(this, i);
    }
  }

  // ---- The driver's side

  void advance(long nanos) {
    now += nanos;
  }

  void advanceTo(long time) {
    now = Math.max(now, time);
  }

  /** From now on it is that core's worker that acts. */
  void enter(int core) {
    current = core;
  }

  /** Nobody acts any more. Returns whose worker did. */
  int leave() {
    int left = current;
    current = NOBODY;
    return left;
  }

  VirtualPoller poller(int core) {
    return pollers[core];
  }

  // ---- What may be otherwise elsewhere

  /** Called where a poller may fail. */
  void mayFail() {}

  /** A worker that waits, or is about to, has been woken up. */
  void woken(int core) {}

  // ---- The runtime's side

  @Override
  public long nanos() {
    return now;
  }

  @Override
  public int random(int bound) {
    return random.nextInt(bound);
  }

  @Override
  public int cores() {
    return pollers.length;
  }

  @Override
  public @Nullable Thread thread(int core) {
    return null;
  }

  @Override
  public boolean isCurrent(int core) {
    return core == current;
  }

  /** Nobody blocks inside a handler here. */
  @Override
  public boolean isWaiting(int core) {
    return false;
  }

  @Override
  public void pause(long nanos) {
    advance(nanos);
  }

  /** The driver decides who is next. */
  @Override
  public void giveWay() {}

  @Override
  public Poller newPoller(int core) {
    return pollers[core];
  }

  @Override
  public Parker newParker() {
    throw new UnsupportedOperationException("there are no threads here");
  }

  @Override
  public Thread newThread(Runnable worker, int core) {
    throw new UnsupportedOperationException("there are no threads here");
  }
}
