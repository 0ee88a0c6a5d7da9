package dev.mely.netty.monitor;

/**
 * A group that is looked at. Called by the {@link Sampler}'s thread alone, but for {@link
 * #hasEnded}.
 */
interface WatchedGroup {
  /** Looks are to follow. */
  void begin(long now);

  /**
   * A short look: every few milliseconds.
   *
   * @param now {@link System#nanoTime}
   */
  void tick(long now);

  /**
   * Tells what was seen since the last call, or since the beginning.
   *
   * @param now {@link System#nanoTime}
   * @param idleCpus how many CPUs other work left on average
   */
  GroupFigures take(long now, double idleCpus);

  /** No look follows: costs nothing from now on. */
  void end();

  /** Whether the group has been shut down, so that nothing is left to be seen. Any thread. */
  boolean hasEnded();
}
