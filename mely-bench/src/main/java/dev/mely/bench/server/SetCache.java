package dev.mely.bench.server;

import java.util.Arrays;

/**
 * A model of a set-associative cache with LRU replacement. It uses virtual addresses; a real L2
 * cache uses physical ones.
 *
 * <p>One thread at a time.
 */
final class SetCache {
  /** Size of a line in bytes. */
  static final int LINE = 64;

  private static final long NOTHING = -1;

  private final int ways;
  private final int sets;

  /** Set after set, each from the most to the least recently used line. */
  private final long[] lines;

  private long misses;

  /**
   * Makes an empty cache.
   *
   * @param bytes its size, a multiple of {@code ways} lines
   * @param ways lines of a set, 1 or more
   * @throws IllegalArgumentException if the size is not a multiple of a set
   */
  SetCache(long bytes, int ways) {
    long set = (long) LINE * ways;
    if (ways < 1 || bytes < set || bytes % set != 0) {
      throw new IllegalArgumentException(
          "a cache of " + bytes + " bytes cannot have " + ways + " ways of lines of 64 bytes");
    }
    this.ways = ways;
    this.sets = Math.toIntExact(bytes / set);
    this.lines = new long[sets * ways];
    Arrays.fill(lines, NOTHING);
  }

  /**
   * Reads or writes bytes.
   *
   * @param address of the first one, 0 or more
   * @param length how many, 0 or more
   */
  void touch(long address, long length) {
    long end = address + length;
    for (long line = address / LINE; length > 0 && line * LINE < end; line++) {
      touchLine(line);
    }
  }

  private void touchLine(long line) {
    int first = (int) (line % sets) * ways;
    int at = first;
    while (at < first + ways - 1 && lines[at] != line) {
      at++;
    }
    if (lines[at] != line) {
      misses++;
    }
    System.arraycopy(lines, first, lines, first + 1, at - first);
    lines[first] = line;
  }

  /**
   * Returns the number of misses.
   *
   * @return total since the start, in lines
   */
  long misses() {
    return misses;
  }
}
