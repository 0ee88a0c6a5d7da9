package dev.mely;

import java.util.Arrays;

/**
 * What one color must see: one event at a time, and the events of each source in order. The fields
 * are plain on purpose: the effects of one event must be visible to the next, wherever it runs.
 */
final class SerialCheck {
  private final int[] next;
  private boolean inside;
  private int count;

  SerialCheck(int sources) {
    next = new int[sources];
  }

  /** At the start of an event: number n of a source. */
  void enter(int source, int number) {
    if (inside) {
      throw new AssertionError("two events of one color overlap");
    }
    inside = true;
    if (next[source] != number) {
      throw new AssertionError(
          "event " + number + " of source " + source + " runs, but " + next[source] + " is next");
    }
    next[source]++;
    count++;
  }

  void leave() {
    if (!inside) {
      throw new AssertionError("two events of one color overlap");
    }
    inside = false;
  }

  int count() {
    if (count != Arrays.stream(next).sum()) {
      throw new AssertionError("an update was lost");
    }
    return count;
  }
}
