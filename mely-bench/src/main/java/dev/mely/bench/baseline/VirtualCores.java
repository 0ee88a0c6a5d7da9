package dev.mely.bench.baseline;

import java.util.function.IntBinaryOperator;

/**
 * Cores without threads: a simulator keeps the time, and makes the steps of the cores of a {@link
 * Baseline}. Calls are for the core whose step is being made.
 */
public abstract class VirtualCores extends Platform {
  /** For the simulator. */
  protected VirtualCores() {}

  /** The time of the current core, in nanoseconds. */
  @Override
  public abstract long nanos();

  /** Waits for the lock of a core, and takes it. */
  public abstract void lock(int core);

  /** Releases the lock of a core. */
  public abstract void unlock(int core);

  /** A thief is about to move a color, under the locks of both cores. */
  @Override
  public abstract void migrating();

  /** A thief has scanned this many events of a queue, whose lock it holds. */
  @Override
  public abstract void scanned(int events);

  /** How far apart two cores' caches are. */
  public abstract int distance(int a, int b);

  /** Always true: the simulator knows when it is free. */
  @Override
  final SpinLock newLock(int core) {
    return new SpinLock() {
      @Override
      void lock() {
        VirtualCores.this.lock(core);
      }

      @Override
      void unlock() {
        VirtualCores.this.unlock(core);
      }
    };
  }

  @Override
  final IntBinaryOperator distances() {
    return this::distance;
  }

  @Override
  final void start(int core, Runnable loop) {}

  @Override
  final void join() {}

  @Override
  final long counted() {
    return 0;
  }

  @Override
  final long bytes() {
    return 0;
  }
}
