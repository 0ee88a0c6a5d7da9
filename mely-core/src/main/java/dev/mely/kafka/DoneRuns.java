package dev.mely.kafka;

import java.util.Arrays;
import java.util.Base64;
import java.util.BitSet;

/**
 * Offsets of a partition that are done although an earlier one is not, as runs in ascending order.
 * They travel in the metadata of a commit, so that a restart does not repeat them:
 *
 * <pre>
 *   committed offset   100, which is not done
 *   metadata           mely1r:AQMCAQ   then 1 is not done, 3 are (101 to 103), 2 are not, 1 is (106)
 *                      mely1b:Tg       the same as a bit for each offset, if that is shorter
 * </pre>
 *
 * <p>Both are in URL-safe Base64. Not thread-safe.
 */
final class DoneRuns {
  /** Half of what a broker takes by default ({@code offset.metadata.max.bytes}) would be wasted. */
  static final int MAX_CHARS = 4096;

  private static final String RUNS = "mely1r:";
  private static final String BITS = "mely1b:";
  private static final int MAX_BYTES = (MAX_CHARS - RUNS.length()) / 4 * 3;
  private static final int SEVEN_BITS = 0x7f;
  private static final int MORE = 0x80;

  /** Beginning and end, exclusive, of each run, in turn. The first {@link #used} elements. */
  private long[] bounds = new long[16];

  private int used;

  boolean isEmpty() {
    return used == 0;
  }

  /** Adds offsets above all that are in it. */
  void add(long from, long end) {
    if (used > 0 && bounds[used - 1] == from) {
      bounds[used - 1] = end;
      return;
    }
    if (used == bounds.length) {
      bounds = Arrays.copyOf(bounds, 2 * used);
    }
    bounds[used++] = from;
    bounds[used++] = end;
  }

  /** Those from an offset on. */
  DoneRuns from(long offset) {
    DoneRuns rest = new DoneRuns();
    for (int i = 0; i < used; i += 2) {
      if (bounds[i + 1] > offset) {
        rest.add(Math.max(offset, bounds[i]), bounds[i + 1]);
      }
    }
    return rest;
  }

  /** These and others, which are different ones. */
  DoneRuns and(DoneRuns others) {
    DoneRuns both = new DoneRuns();
    int i = 0;
    int j = 0;
    while (i < used || j < others.used) {
      if (j == others.used || (i < used && bounds[i] < others.bounds[j])) {
        both.add(bounds[i], bounds[i + 1]);
        i += 2;
      } else {
        both.add(others.bounds[j], others.bounds[j + 1]);
        j += 2;
      }
    }
    return both;
  }

  boolean contains(long offset) {
    int at = Arrays.binarySearch(bounds, 0, used, offset);
    return (at & 1) == 0; // at a beginning, or inserted before an end
  }

  // ---- Metadata

  /**
   * Writes what fits into the metadata of a commit.
   *
   * @param base the offset that is committed; all runs are above it
   * @return empty if there is no run
   */
  String encode(long base) {
    if (isEmpty()) {
      return "";
    }
    byte[] runs = runs(base);
    long span = bounds[used - 1] - base;
    if (span <= 8L * Math.min(MAX_BYTES, runs.length)) {
      return BITS + text(bits(base));
    }
    return RUNS + text(runs);
  }

  private static String text(byte[] bytes) {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }

  private byte[] bits(long base) {
    BitSet set = new BitSet();
    for (int i = 0; i < used; i += 2) {
      set.set((int) (bounds[i] - base), (int) (bounds[i + 1] - base));
    }
    return set.toByteArray();
  }

  /** Lower runs first; those that do not fit are left out. */
  private byte[] runs(long base) {
    byte[] bytes = new byte[MAX_BYTES];
    int length = 0;
    long at = base;
    for (int i = 0; i < used; i++) {
      int end = put(bytes, length, bounds[i] - at);
      if (end < 0) {
        break;
      }
      at = bounds[i];
      length = end;
    }
    return Arrays.copyOf(bytes, length);
  }

  /** The end of a number; -1 if it does not fit. */
  private static int put(byte[] bytes, int start, long number) {
    int at = start;
    long rest = number;
    do {
      if (at == bytes.length) {
        return -1;
      }
      long low = rest & SEVEN_BITS;
      rest >>>= 7;
      bytes[at++] = (byte) (rest == 0 ? low : low | MORE);
    } while (rest != 0);
    return at;
  }

  /**
   * Reads the metadata of a commit.
   *
   * @param base the offset that was committed
   * @throws IllegalArgumentException if another program has written it, or a newer version of this
   *     one
   */
  static DoneRuns decode(long base, String metadata) {
    DoneRuns done = new DoneRuns();
    if (metadata.startsWith(BITS)) {
      BitSet set = BitSet.valueOf(bytes(metadata, BITS));
      for (int from = set.nextSetBit(0); from >= 0; ) {
        int end = set.nextClearBit(from);
        done.add(base + from, base + end);
        from = set.nextSetBit(end);
      }
    } else if (metadata.startsWith(RUNS)) {
      done.readRuns(base, bytes(metadata, RUNS));
    } else if (!metadata.isEmpty()) {
      throw new IllegalArgumentException("of no known format");
    }
    return done;
  }

  private static byte[] bytes(String metadata, String format) {
    return Base64.getUrlDecoder().decode(metadata.substring(format.length()));
  }

  private void readRuns(long base, byte[] bytes) {
    long at = base;
    long from = -1;
    long number = 0;
    int shift = 0;
    for (byte b : bytes) {
      number |= (long) (b & SEVEN_BITS) << shift;
      shift += 7;
      if ((b & MORE) != 0 && shift < Long.SIZE) {
        continue;
      }
      at += number;
      if (shift >= Long.SIZE || number < 0 || at < base) {
        throw new IllegalArgumentException("it has a number that is out of range");
      }
      if (from < 0) {
        from = at;
      } else {
        add(from, at);
        from = -1;
      }
      number = 0;
      shift = 0;
    }
    if (shift != 0) {
      throw new IllegalArgumentException("it ends within a number");
    }
  }
}
