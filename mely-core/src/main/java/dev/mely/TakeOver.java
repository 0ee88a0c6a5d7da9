package dev.mely;

/** What a thief takes over from another core besides colors. Called by the thief's worker. */
interface TakeOver {
  /** Fires what is due there; idle colors that it activates wait at the thief's core. */
  void fireTimers(Core at, long due);

  /** Does what the worker of a stuck core would do between two colors: timers, lines, poller. */
  void takeOver(Core stuck);
}
