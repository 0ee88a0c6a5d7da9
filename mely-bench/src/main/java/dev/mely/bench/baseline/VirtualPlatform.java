package dev.mely.bench.baseline;

import java.util.function.IntBinaryOperator;

/** Runs nothing by itself: a simulator calls {@link Baseline#step}. */
final class VirtualPlatform extends Platform {
  private final VirtualCores cores;

  VirtualPlatform(VirtualCores cores) {
    this.cores = cores;
  }

  @Override
  long nanos() {
    return cores.nanos();
  }

  @Override
  SpinLock newLock(int core) {
    return new VirtualLock(core);
  }

  @Override
  IntBinaryOperator distances() {
    return cores::distance;
  }

  @Override
  void start(int core, Runnable loop) {}

  @Override
  void join() {}

  @Override
  void migrating() {
    cores.migrating();
  }

  @Override
  void scanned(int events) {
    cores.scanned(events);
  }

  @Override
  long counted() {
    return 0;
  }

  @Override
  long bytes() {
    return 0;
  }

  /** The simulator knows when it is free. */
  private final class VirtualLock extends SpinLock {
    private final int core;

    VirtualLock(int core) {
      this.core = core;
    }

    @Override
    void lock() {
      cores.lock(core);
    }

    @Override
    void unlock() {
      cores.unlock(core);
    }
  }
}
