package dev.mely.bench.baseline;

/**
 * Cores without threads: a simulator that keeps the time. Whoever calls is the core that the
 * simulator has last told to make a step.
 */
public interface VirtualCores {
  /** The time of the core that acts, in nanoseconds. */
  long nanos();

  /** Waits for the lock of a core, and takes it. */
  void lock(int core);

  /** Gives the lock of a core back. */
  void unlock(int core);

  /** A thief is about to move a color, under the locks of both cores. */
  void migrating();

  /** A thief has gone through so many events of a queue, whose lock it holds. */
  void scanned(int events);

  /** How far apart two cores' caches are. */
  int distance(int a, int b);
}
