package dev.mely.topology;

import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/** Sets of CPU numbers in the kernel's list format: {@code 0-3,8-11}. */
final class CpuList {
  /** Far above what any kernel supports; a larger number is garbage. */
  static final int MAX_CPU = 65_535;

  private CpuList() {}

  /**
   * Parses a list.
   *
   * @param text the list, possibly absent; the empty text is the empty set
   * @return the CPUs, owned by the caller, or null if the text is absent or no list
   */
  static @Nullable BitSet parse(@Nullable String text) {
    if (text == null) {
      return null;
    }
    BitSet cpus = new BitSet();
    String list = text.strip();
    if (list.isEmpty()) {
      return cpus;
    }
    for (String range : list.split(",", -1)) {
      int dash = range.indexOf('-');
      int first = parseCpu(dash < 0 ? range : range.substring(0, dash));
      int last = dash < 0 ? first : parseCpu(range.substring(dash + 1));
      if (first < 0 || last < first) {
        return null;
      }
      cpus.set(first, last + 1);
    }
    return cpus;
  }

  /**
   * Renders a set.
   *
   * @return the list, ranges folded, in ascending order; empty for the empty set
   */
  static String format(BitSet cpus) {
    StringBuilder out = new StringBuilder();
    for (int first = cpus.nextSetBit(0); first >= 0; ) {
      int end = cpus.nextClearBit(first);
      if (out.length() > 0) {
        out.append(',');
      }
      out.append(first);
      if (end - first > 1) {
        out.append('-').append(end - 1);
      }
      first = cpus.nextSetBit(end);
    }
    return out.toString();
  }

  /** Returns the CPU number, or -1 if the text is none. */
  static int parseCpu(String text) {
    long number = SysFiles.parseNumber(text.strip());
    return number <= MAX_CPU ? (int) number : -1;
  }
}
