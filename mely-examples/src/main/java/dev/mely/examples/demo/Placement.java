package dev.mely.examples.demo;

/**
 * Which connections are busy. Connections are made one after the other, and event loops take turns:
 * connection n is on loop n modulo loops, or the same number of loops further on.
 */
final class Placement {
  /** How many connections there are. */
  static final int CONNECTIONS = 32;

  private Placement() {}

  /**
   * Places the busy connections: first those that are to share the first loop, as many as it has
   * connections; then the others in turn on all loops.
   *
   * @return for each connection whether it is busy
   */
  static boolean[] busy(Settings settings) {
    int cores = settings.cores();
    int busy = share(CONNECTIONS, settings.busy());
    boolean[] placed = new boolean[CONNECTIONS];
    int left = busy;
    int together = share(busy, settings.uneven());
    for (int i = 0; i < CONNECTIONS && together > 0; i += cores) {
      placed[i] = true;
      together--;
      left--;
    }
    // From the end: the last loops have none of those that share the first one.
    for (int i = CONNECTIONS - 1; left > 0; i--) {
      if (!placed[i]) {
        placed[i] = true;
        left--;
      }
    }
    return placed;
  }

  private static int share(int of, int percent) {
    return Math.round(of * percent / 100f);
  }
}
