package dev.mely;

/** What a thief does for another core beside taking its colors. By the worker of that thief. */
interface TakeOver {
  /** Registers what is due there; idle colors that it wakes up wait at the thief's core. */
  void fireTimers(Core at, long due);

  /** Does for a stuck core what its worker would do between two colors. */
  void takeOver(Core stuck);
}
