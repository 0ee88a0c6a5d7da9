package dev.mely;

import java.util.SplittableRandom;

/**
 * Pauses colors of a {@link Schedule} and resumes them, all of them in the end, unless the runtime
 * is closed before.
 */
final class SimPauser implements SimActor {
  private final Schedule world;
  private final SplittableRandom random;
  private final boolean[] paused;

  /** How often it will pause or resume a color before the end. */
  private int left;

  SimPauser(Schedule world, long seed) {
    this.world = world;
    this.random = new SplittableRandom(seed + 11);
    this.paused = new boolean[world.colors.length];
    this.left = 1 + random.nextInt(12);
  }

  /** Whether the schedule of a seed has one. */
  static boolean has(long seed) {
    return seed % 7 == 3;
  }

  boolean isPaused(int color) {
    return paused[color];
  }

  @Override
  public boolean isReady() {
    return (left > 0 || isAnyPaused()) && world.scheduler.phase() != Scheduler.CLOSED;
  }

  boolean isAnyPaused() {
    for (boolean one : paused) {
      if (one) {
        return true;
      }
    }
    return false;
  }

  @Override
  public void step() {
    int color = random.nextInt(paused.length);
    boolean pauses = left-- > 0 && !paused[color];
    if (pauses) {
      world.log("pauser: pauses color %d", color);
      world.scheduler.pauses.pause(world.colors[color]);
    } else {
      world.log("pauser: resumes color %d", color);
      world.scheduler.pauses.resume(world.colors[color]);
    }
    paused[color] = pauses;
  }
}
