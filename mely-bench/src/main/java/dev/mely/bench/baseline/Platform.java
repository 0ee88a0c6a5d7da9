package dev.mely.bench.baseline;

import java.util.function.IntBinaryOperator;

/** What a baseline runs on: a thread per core, or a simulator. */
public abstract class Platform {
  Platform() {}

  /** The calling core's time, in nanoseconds. */
  abstract long nanos();

  /** The lock of a core. */
  abstract SpinLock newLock(int core);

  /** How far apart two cores' caches are. */
  abstract IntBinaryOperator distances();

  /** Starts to run the loop of a core. */
  abstract void start(int core, Runnable loop);

  /** Waits until all loops have ended. */
  abstract void join();

  /** A thief is about to move a color, under the locks of both cores. */
  void migrating() {}

  /** A thief has scanned this many events of a queue, whose lock it holds. */
  void scanned(int events) {}

  /** Sum of the workers' counts. */
  abstract long counted();

  /** Bytes allocated by the workers. */
  abstract long bytes();
}
