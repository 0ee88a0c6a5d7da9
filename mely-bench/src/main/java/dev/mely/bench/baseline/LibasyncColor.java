package dev.mely.bench.baseline;

/** A color of {@link Libasync}. */
final class LibasyncColor {
  /** Where the map says on which core it is: colors that are congruent modulo 1024 share it. */
  final Slot slot;

  LibasyncColor(Slot slot) {
    this.slot = slot;
  }

  /** One of the 1024 elements of the map from colors to cores. */
  static final class Slot {
    final boolean pinned;

    /** The core that runs these colors. Written under its lock, and the new core's if any waits. */
    volatile LibasyncCore core;

    /** How many of its events wait. Under the core's lock. */
    int pending;

    Slot(LibasyncCore core, boolean pinned) {
      this.core = core;
      this.pinned = pinned;
    }
  }
}
