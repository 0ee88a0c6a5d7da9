package dev.mely.examples.sws;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** Which of the paper's workstealing heuristics the event loops use. */
public enum Policy {
  /** No stealing: a connection stays on its home core. */
  OFF,
  /** Stealing without heuristics, as in Libasync-smp. */
  BASE,
  /** Victims nearest in the cache hierarchy first. */
  LOCALITY,
  /** Only colors that are worth the cost of a steal. */
  TIME_LEFT,
  /** Colors whose data would be missed on another core are stolen less. */
  PENALTY,
  /** All three heuristics. */
  ALL;

  /**
   * Finds the policy of a name as the command line gives it.
   *
   * @throws IllegalArgumentException if there is none; the message says which there are
   */
  static Policy parse(String name) {
    for (Policy policy : values()) {
      if (policy.toString().equals(name)) {
        return policy;
      }
    }
    throw new IllegalArgumentException(
        "unknown policy '"
            + name
            + "': use one of "
            + Arrays.stream(values()).map(Policy::toString).collect(Collectors.joining(", ")));
  }

  /** Returns the name as the command line gives it. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
