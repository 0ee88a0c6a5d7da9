package dev.mely;

/** Which events of a {@link Schedule} hold which color: finds two that exclude each other. */
final class SimLocks {
  private final int[] readers;
  private final boolean[] written;

  SimLocks(int colors) {
    readers = new int[colors];
    written = new boolean[colors];
  }

  /** Returns whether nobody else has it, or only others that read. */
  boolean enter(int color, boolean reads) {
    if (written[color] || (!reads && readers[color] > 0)) {
      return false;
    }
    if (reads) {
      readers[color]++;
    } else {
      written[color] = true;
    }
    return true;
  }

  void leave(int color, boolean reads) {
    if (reads) {
      readers[color]--;
    } else {
      written[color] = false;
    }
  }

  boolean isFree() {
    for (int i = 0; i < readers.length; i++) {
      if (readers[i] != 0 || written[i]) {
        return false;
      }
    }
    return true;
  }
}
