package dev.mely.bench.baseline;

/**
 * The part of a core that others read without its lock. It never changes, and is padded on both
 * sides against false sharing with the fields that the core writes for each event.
 */
abstract class SharedCore extends Padding {
  final int index;
  final SpinLock lock;

  /** Number of pending events. Written under the lock. */
  final Hint load = new Hint();

  /** Number of color-queues in the stealing-queue, if there is one. Written under the lock. */
  final Hint worthyCount = new Hint();

  /** Fills up eight bytes, in which the JVM would otherwise place a field of the subclass. */
  @SuppressWarnings("UnusedVariable")
  private int filler;

  SharedCore(int index, SpinLock lock) {
    this.index = index;
    this.lock = lock;
  }
}
