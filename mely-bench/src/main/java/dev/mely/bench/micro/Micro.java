package dev.mely.bench.micro;

import dev.mely.bench.Labels;
import dev.mely.bench.Score;
import dev.mely.bench.baseline.Configuration;
import dev.mely.bench.baseline.Contestant;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The microbenchmarks, by name; each with its loads, the first of which is the usual one. */
public enum Micro {
  UNBALANCED(
      "unbalanced",
      "rounds of 50,000 events of distinct colors, all registered on core 0; 98 percent take 100 "
          + "cycles, 2 percent 10 to 50 thousand",
      4,
      "unbalanced",
      "all-short",
      "one-color") {
    @Override
    public <C> Scenario scenario(Contestant<C> contestant, String load) {
      return new Unbalanced<>(contestant, Load.parse(load, Load.EVENTS));
    }
  },

  PENALTY(
      "penalty",
      "chains of events that read an array one after the other, all begun on core 0",
      4,
      "chains") {
    @Override
    public <C> Scenario scenario(Contestant<C> contestant, String load) {
      return new Penalty<>(contestant);
    }
  },

  CACHE_EFFICIENT(
      "cacheEfficient",
      "arrays sorted in halves and merged, begun on one core of each two",
      2,
      "merge-sort") {
    @Override
    public <C> Scenario scenario(Contestant<C> contestant, String load) {
      return new CacheEfficient<>(contestant);
    }
  },

  CHAINS(
      "chains",
      "16 colors whose events register their successor; core 0 has none of them",
      50,
      "1k-cycles",
      "25k-cycles") {
    @Override
    public <C> Scenario scenario(Contestant<C> contestant, String load) {
      boolean small = load.equals("1k-cycles");
      return new Relay<>(contestant, small ? 100 : 4, small ? 1_000 : 25_000).spread(16, 1);
    }
  },

  STEADY_COLORS(
      "steadyColors",
      "10,000 colors, spread over the cores; each event registers itself again",
      5,
      "10k-colors") {
    @Override
    public <C> Scenario scenario(Contestant<C> contestant, String load) {
      return new Relay<>(contestant, 20, 0).spread(10_000, 0);
    }
  },

  HOT_COLOR("hotColor", "one color, whose event registers itself again", 10, "one-color") {
    @Override
    public <C> Scenario scenario(Contestant<C> contestant, String load) {
      return new Relay<>(contestant, 50_000, 0).add(0);
    }
  },

  PING_PONG(
      "pingPong",
      "one event that goes to and fro between two colors: at home on two cores, or on one",
      10,
      "home",
      "local") {
    @Override
    public <C> Scenario scenario(Contestant<C> contestant, String load) {
      int other = load.equals("home") ? Math.min(1, contestant.cores() - 1) : 0;
      return new Relay<>(contestant, 5_000, 0).add(0, other);
    }
  },

  REGISTRATION(
      "registration",
      "threads that are no workers register events as fast as these are run",
      2,
      "1-producer",
      "2-producers",
      "4-producers",
      "8-producers",
      "16-producers",
      "32-producers") {
    @Override
    public <C> Scenario scenario(Contestant<C> contestant, String load) {
      int producers = Integer.parseInt(load.substring(0, load.indexOf('-')));
      return new Producers<>(contestant, producers);
    }
  },

  SHORT_LIVED_COLORS(
      "shortLivedColors",
      "64 clients, whose connections each have a new color for four events",
      20,
      "4-events") {
    @Override
    public <C> Scenario scenario(Contestant<C> contestant, String load) {
      return new ShortLived<>(contestant);
    }
  },

  STEAL_COST(
      "stealCost",
      "rounds of 1,000 events of distinct colors, 10 µs each, all registered on core 0",
      4,
      "10-micros") {
    @Override
    public <C> Scenario scenario(Contestant<C> contestant, String load) {
      return new Unbalanced<>(contestant, Load.even(1_000, 23_300));
    }
  },

  IDLE_COLORS(
      "idleColors",
      "the heap that colors take which have had an event and have none now",
      1,
      "million",
      "100-thousand") {
    @Override
    public <C> Scenario scenario(Contestant<C> contestant, String load) {
      throw new IllegalStateException("takes memory, not time");
    }
  };

  private final String label;
  private final String description;
  private final int rounds;

  @SuppressWarnings("ImmutableEnumChecker") // List.of
  private final List<String> loads;

  Micro(String label, String description, int rounds, String... loads) {
    this.label = label;
    this.description = description;
    this.rounds = rounds;
    this.loads = List.of(loads);
  }

  /**
   * Prepares it.
   *
   * @param load one of those that it has
   */
  public abstract <C> Scenario scenario(Contestant<C> contestant, String load);

  /** The name on the command line, which is that of the JMH benchmark too. */
  String label() {
    return label;
  }

  /** One line for people. */
  String description() {
    return description;
  }

  /** How many rounds to play at a time: some tens of milliseconds. */
  int rounds() {
    return rounds;
  }

  /** The names of its loads. */
  List<String> loads() {
    return loads;
  }

  /** What is compared. */
  Score score() {
    return switch (this) {
      case IDLE_COLORS -> new Score("bytesPerColor", "B/color", 1, 0, false);
      case STEAL_COST -> new Score("nanosPerSteal", "steal µs", 1e3, 2, false);
      case CACHE_EFFICIENT -> new Score("rate", "K events/s", 1e3, 2, true);
      default -> new Score("rate", "M events/s", 1e6, 2, true);
    };
  }

  /** What the others are compared with, if it takes part. */
  Configuration reference() {
    return this == STEAL_COST ? Configuration.SPINLOCK_BASE_WS : Configuration.SPINLOCK;
  }

  /** Why a configuration has nothing to do with it; null if it has. */
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
   * @throws IllegalArgumentException if there is none of that name
   */
  public static Micro parse(String name) {
    return Labels.parse("benchmark", name, List.of(values()), Micro::label);
  }

  /**
   * Checks the name of a load.
   *
   * @throws IllegalArgumentException if there is none of that name
   */
  String checkLoad(String load) {
    return Labels.parse("load", load, loads, any -> any);
  }

  /** All names. */
  static List<String> labels() {
    return Arrays.stream(values()).map(Micro::label).toList();
  }
}
