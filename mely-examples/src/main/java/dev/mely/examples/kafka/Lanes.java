package dev.mely.examples.kafka;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * What ran where and when: a row of letters for each core, a letter for each key. Thread-safe.
 *
 * <pre>
 *   core 0 |AAAAAAA..bbAAAAAAAc|
 *   core 1 |ddb.....eeeeeebb...|
 * </pre>
 */
final class Lanes {
  /** Columns of a second. */
  static final int COLUMNS = 50;

  private static final long COLUMN_NANOS = 1_000_000_000L / COLUMNS;

  /** More than a second: readers come a little later than writers. */
  private static final int KEPT = 4 * COLUMNS;

  private static final int LETTER_BITS = 16;

  private final AtomicLongArray[] cores;

  private volatile long begin;

  Lanes(int cores) {
    this.cores = new AtomicLongArray[cores];
    for (int i = 0; i < cores; i++) {
      this.cores[i] = new AtomicLongArray(KEPT);
    }
  }

  /** The first column begins now, before keys are at work. */
  void start() {
    begin = System.nanoTime();
  }

  /** When it began, on the clock of {@link System#nanoTime}. */
  long begin() {
    return begin;
  }

  /** A key was at work on a core; the last to say so of a column is seen there. */
  void note(int core, char letter, long from, long to) {
    long last = column(to);
    for (long column = Math.max(column(from), last - KEPT + 1); column <= last; column++) {
      // With its column: a cell that has not been written for a while is another column's.
      cores[core].set((int) (column % KEPT), column << LETTER_BITS | letter);
    }
  }

  private long column(long time) {
    return Math.max(0, time - begin) / COLUMN_NANOS;
  }

  /**
   * Returns the lane of a core.
   *
   * @param second which one, from 0; one of the last three
   */
  String lane(int core, long second) {
    StringBuilder lane = new StringBuilder();
    for (long column = second * COLUMNS; column < (second + 1) * COLUMNS; column++) {
      long cell = cores[core].get((int) (column % KEPT));
      boolean isIdle = cell == 0 || cell >> LETTER_BITS != column;
      lane.append(isIdle ? '.' : (char) cell);
    }
    return lane.toString();
  }

  /** A letter for a key: A for the first, which is the hot one. */
  static char letter(int key) {
    return key == 0 ? 'A' : (char) ('b' + (key - 1) % ('z' - 'b' + 1));
  }
}
