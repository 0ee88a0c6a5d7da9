package dev.mely.bench.micro;

import java.util.Arrays;
import java.util.Random;

/**
 * The events of one round, in the order of registration. Immutable; the same for every
 * configuration and in every JVM.
 */
final class Load {
  /** Events of a round, as in the paper. */
  static final int EVENTS = 50_000;

  private static final int SHORT_CYCLES = 100;
  private static final int LONG_MIN_CYCLES = 10_000;
  private static final int LONG_MAX_CYCLES = 50_000;
  private static final int ONE_IN = 50;
  private static final long SEED = 2010;

  private final int[] cycles;
  private final int[] colors;
  private final int colorCount;

  private Load(int[] cycles, int[] colors) {
    this.cycles = cycles;
    this.colors = colors;
    this.colorCount = Arrays.stream(colors).max().orElse(-1) + 1;
  }

  /**
   * The paper's {@code unbalanced}: distinct colors; 98 % of the events take 100 cycles, 2 % take
   * 10 to 50 thousand, uniformly distributed, at random positions (Mely, section V-B (d)).
   */
  static Load unbalanced(int events) {
    Random random = new Random(SEED);
    int[] cycles = allShort(events).cycles;
    for (int left = events / ONE_IN; left > 0; ) {
      int at = random.nextInt(events);
      if (cycles[at] == SHORT_CYCLES) {
        cycles[at] = LONG_MIN_CYCLES + random.nextInt(LONG_MAX_CYCLES - LONG_MIN_CYCLES + 1);
        left--;
      }
    }
    return new Load(cycles, allShort(events).colors);
  }

  /** Only short events, of distinct colors: nothing is worth stealing. */
  static Load allShort(int events) {
    int[] cycles = new int[events];
    int[] colors = new int[events];
    Arrays.fill(cycles, SHORT_CYCLES);
    Arrays.setAll(colors, i -> i);
    return new Load(cycles, colors);
  }

  /** Events of equal duration, of distinct colors: all are worth stealing, or none. */
  static Load even(int events, int cycles) {
    Load load = allShort(events);
    Arrays.fill(load.cycles, cycles);
    return load;
  }

  /**
   * Looks a load up by its name.
   *
   * @throws IllegalArgumentException for an unknown name
   */
  static Load parse(String name, int events) {
    return switch (name) {
      case "unbalanced" -> unbalanced(events);
      case "all-short" -> allShort(events);
      case "one-color" -> unbalanced(events).withColors(1);
      default ->
          throw new IllegalArgumentException(
              "unknown load '" + name + "'; known: unbalanced, all-short, one-color");
    };
  }

  /** The same events with fewer colors, in turn, so that each has several events pending. */
  Load withColors(int count) {
    int[] turns = new int[cycles.length];
    Arrays.setAll(turns, i -> i % count);
    return new Load(cycles, turns);
  }

  int events() {
    return cycles.length;
  }

  int colors() {
    return colorCount;
  }

  /** Duration of an event, in the paper's cycles. */
  int cycles(int event) {
    return cycles[event];
  }

  /**
   * The declared cost of the handler for events of a duration, as if known from profiling (Mely,
   * section III-B): one handler for short events, and one per ten thousand cycles, which declares
   * the middle of its range.
   */
  static int declared(int cycles) {
    int tens = Math.min(cycles, LONG_MAX_CYCLES - 1) / LONG_MIN_CYCLES;
    return tens == 0 ? SHORT_CYCLES : tens * LONG_MIN_CYCLES + LONG_MIN_CYCLES / 2;
  }

  /** The color of an event, from 0. */
  int color(int event) {
    return colors[event];
  }
}
