package dev.mely.bench.micro;

import dev.mely.bench.Labels;
import dev.mely.bench.Score;
import dev.mely.bench.baseline.Configuration;
import dev.mely.bench.baseline.Contestant;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The microbenchmarks, by name, with their loads; the first load is the default. */
public enum Micro {
  UNBALANCED(
      "unbalanced",
      "rounds of 50,000 events of distinct colors, all registered on core 0; 98 percent take 100 "
          + "cycles, 2 percent 10 to 50 thousand",
      4,
      (contestant, load) -> new Unbalanced<>(contestant, Load.parse(load, Load.EVENTS)),
      "unbalanced",
      "all-short",
      "one-color"),

  PENALTY(
      "penalty",
      "chains of events that read an array one after the other, all started on core 0",
      4,
      (contestant, load) -> new Penalty<>(contestant),
      "chains"),

  CACHE_EFFICIENT(
      "cacheEfficient",
      "arrays sorted in halves and merged, started on every second core",
      2,
      (contestant, load) -> new CacheEfficient<>(contestant),
      "merge-sort"),

  CHAINS(
      "chains",
      "16 colors whose events register their successor; core 0 has none of them",
      50,
      (contestant, load) ->
          load.equals("1k-cycles")
              ? new Relay<>(contestant, 100, 1_000).spread(16, 1)
              : new Relay<>(contestant, 4, 25_000).spread(16, 1),
      "1k-cycles",
      "25k-cycles"),

  STEADY_COLORS(
      "steadyColors",
      "10,000 colors, spread over the cores; each event registers itself again",
      5,
      (contestant, load) -> new Relay<>(contestant, 20, 0).spread(10_000, 0),
      "10k-colors"),

  HOT_COLOR(
      "hotColor",
      "one color, whose event registers itself again",
      10,
      (contestant, load) -> new Relay<>(contestant, 50_000, 0).add(0),
      "one-color"),

  PING_PONG(
      "pingPong",
      "one event that alternates between two colors, on two cores or on one",
      10,
      (contestant, load) ->
          new Relay<>(contestant, 5_000, 0)
              .add(0, load.equals("home") ? Math.min(1, contestant.cores() - 1) : 0),
      "home",
      "local"),

  REGISTRATION(
      "registration",
      "threads outside the runtime register events as fast as these are run",
      2,
      (contestant, load) ->
          new Producers<>(contestant, Integer.parseInt(load.substring(0, load.indexOf('-')))),
      "1-producer",
      "2-producers",
      "4-producers",
      "8-producers",
      "16-producers",
      "32-producers"),

  SHORT_LIVED_COLORS(
      "shortLivedColors",
      "64 clients, whose connections each have a new color for four events",
      20,
      (contestant, load) -> new ShortLived<>(contestant),
      "4-events"),

  STEAL_COST(
      "stealCost",
      "rounds of 1,000 events of distinct colors, 10 µs each, all registered on core 0",
      4,
      (contestant, load) -> new Unbalanced<>(contestant, Load.even(1_000, 23_300)),
      "10-micros"),

  IDLE_COLORS(
      "idleColors",
      "heap of idle colors, each of which has had one event",
      1,
      (contestant, load) -> {
        throw new IllegalStateException("measures memory, not time");
      },
      "million",
      "100-thousand");

  /** Prepares a scenario for a contestant. */
  @FunctionalInterface
  private interface Maker {
    Scenario make(Contestant<?> contestant, String load);
  }

  private final String label;
  private final String description;
  private final int rounds;

  @SuppressWarnings("ImmutableEnumChecker") // a function without state
  private final Maker maker;

  @SuppressWarnings("ImmutableEnumChecker") // List.of
  private final List<String> loads;

  Micro(String label, String description, int rounds, Maker maker, String... loads) {
    this.label = label;
    this.description = description;
    this.rounds = rounds;
    this.maker = maker;
    this.loads = List.of(loads);
  }

  /**
   * Prepares the scenario.
   *
   * @param load one of its loads
   */
  Scenario scenario(Contestant<?> contestant, String load) {
    return maker.make(contestant, load);
  }

  /** The name on the command line, and of the JMH benchmark. */
  String label() {
    return label;
  }

  /** Describes it in one line. */
  String description() {
    return description;
  }

  /** Number of rounds per call: some tens of milliseconds. */
  int rounds() {
    return rounds;
  }

  /** The names of its loads. */
  List<String> loads() {
    return loads;
  }

  /** The figure to compare. */
  Score score() {
    return switch (this) {
      case IDLE_COLORS -> new Score("bytesPerColor", "B/color", 1, 0, false);
      case STEAL_COST -> new Score("nanosPerSteal", "steal µs", 1e3, 2, false);
      case CACHE_EFFICIENT -> new Score("rate", "K events/s", 1e3, 2, true);
      default -> new Score("rate", "M events/s", 1e6, 2, true);
    };
  }

  /** The reference, if it takes part. */
  Configuration reference() {
    return this == STEAL_COST ? Configuration.SPINLOCK_BASE_WS : Configuration.SPINLOCK;
  }

  /** Why a configuration cannot take part; null if it can. */
  @Nullable String absence(Configuration configuration) {
    if (configuration == Configuration.CEILING) {
      return switch (this) {
        case STEAL_COST -> "it does not steal";
        case IDLE_COLORS -> "it has no colors";
        default -> null;
      };
    }
    return null;
  }

  /**
   * Looks a benchmark up.
   *
   * @throws IllegalArgumentException for an unknown name
   */
  public static Micro parse(String name) {
    return Labels.parse("benchmark", name, List.of(values()), Micro::label);
  }

  /**
   * Checks the name of a load.
   *
   * @throws IllegalArgumentException for an unknown name
   */
  String checkLoad(String load) {
    return Labels.parse("load", load, loads, any -> any);
  }

  /** All names. */
  static List<String> labels() {
    return Arrays.stream(values()).map(Micro::label).toList();
  }
}
