package dev.mely.bench.baseline;

/**
 * The part of a core that others read without its lock. It never changes, and has padding on both
 * sides: a thief that looks for work must not disturb the core in what it writes for each event.
 */
abstract class SharedCore extends Padding {
  final int index;
  final SpinLock lock;

  /** How many events wait here. Written under the lock. */
  final Hint load = new Hint();

  /** How many color-queues the stealing-queue has, if there is one. Written under the lock. */
  final Hint worthyCount = new Hint();

  /** Else the JVM would put one of a core's own numbers here, to fill up eight bytes. */
  @SuppressWarnings("UnusedVariable")
  private int filler;

  SharedCore(int index, SpinLock lock) {
    this.index = index;
    this.lock = lock;
  }
}
