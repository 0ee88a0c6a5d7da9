package dev.mely.bench.baseline;

/** A color of {@link Libasync}. */
final class LibasyncColor {
  /** Its element of the map to cores, shared by colors that are congruent modulo 1024. */
  final Slot slot;

  LibasyncColor(Slot slot) {
    this.slot = slot;
  }

  /** One of the 1024 elements of the map from colors to cores. */
  static final class Slot {
    final boolean pinned;

    /**
     * The core of these colors. Written under its lock, and the new core's if an event is pending.
     */
    volatile LibasyncCore core;

    /** Number of its pending events. Under the core's lock. */
    int pending;

    Slot(LibasyncCore core, boolean pinned) {
      this.core = core;
      this.pinned = pinned;
    }
  }
}
