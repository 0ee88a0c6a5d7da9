package dev.mely.bench.server;

import java.util.Arrays;

/**
 * A set-associative cache that forgets the line of a set that was used longest ago: what it has,
 * and what it misses. Lines are put into sets by their addresses as they are given; a real
 * second-level cache goes by physical ones.
 *
 * <p>One thread at a time.
 */
final class SetCache {
  /** Bytes of a line. */
  static final int LINE = 64;

  private static final long NOTHING = -1;

  private final int ways;
  private final int sets;

  /** Set after set, each from the line that was used last to the one that was longest ago. */
  private final long[] lines;

  private long misses;

  /**
   * Makes an empty cache.
   *
   * @param bytes its size, a multiple of the size of a set of one line for each way
   * @param ways lines of a set, 1 or more
   * @throws IllegalArgumentException if the size does not make up whole sets
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
   * Returns how many lines were not there when they were touched.
   *
   * @return a number since the beginning
   */
  long misses() {
    return misses;
  }
}
