package dev.mely.bench.micro;

import dev.mely.StealPolicy;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What takes part, by name. */
enum Configuration {
  /** The reference: Mely with stealing off. */
  MELY("mely", "off"),
  MELY_BASE_WS("mely-base-ws", "base"),
  MELY_LOCALITY("mely-locality", "locality"),
  MELY_TIME_LEFT("mely-time-left", "time-left"),
  MELY_PENALTY("mely-penalty", "penalty"),
  MELY_ALL("mely-all", "all"),
  FJP_GUAVA("fjp-guava", null);

  private final String label;

  /** Name of the steal policy; null: not Mely. */
  private final @Nullable String policy;

  Configuration(String label, @Nullable String policy) {
    this.label = label;
    this.policy = policy;
  }

  String label() {
    return label;
  }

  boolean isMely() {
    return policy != null;
  }

  /**
   * Looks a configuration up.
   *
   * @throws IllegalArgumentException if there is none of that name
   */
  static Configuration parse(String name) {
    for (Configuration c : values()) {
      if (c.label.equals(name)) {
        return c;
      }
    }
    throw new IllegalArgumentException(
        "unknown configuration '" + name + "'; known: " + String.join(", ", labels()));
  }

  static List<String> labels() {
    return Arrays.stream(values()).map(Configuration::label).toList();
  }

  /** Starts it. */
  Contestant start(int cores, boolean pinned, Load load, Contestant.Body body) {
    String p = policy;
    return p == null
        ? new GuavaContestant(cores, pinned, load, body)
        : new MelyContestant(StealPolicy.parse(p), cores, pinned, load, body);
  }
}
