package dev.mely;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Collectors;

/**
 * Whether idle cores steal, and which heuristics guide them. Immutable; each heuristic can be
 * switched alone, by name, to see what it contributes.
 *
 * <table>
 * <caption>Names</caption>
 * <tr><td>{@code off}</td><td>no stealing at all</td></tr>
 * <tr><td>{@code base}</td><td>the most loaded core first, any color that holds less than half of
 *     its events (Mely, section II-B)</td></tr>
 * <tr><td>{@code locality}</td><td>base, victims ordered by cache distance (III-A)</td></tr>
 * <tr><td>{@code time-left}</td><td>base, but only worthy colors: more work pending than the steal
 *     costs (III-B)</td></tr>
 * <tr><td>{@code penalty}</td><td>base, colors with little long-lived data first (III-C)</td></tr>
 * <tr><td>{@code all}</td><td>all heuristics together</td></tr>
 * </table>
 *
 * <p>Names combine with a plus sign: {@code time-left+penalty}. In a program: {@code
 * StealPolicy.BASE.with(Heuristic.TIME_LEFT, Heuristic.PENALTY)}.
 */
public final class StealPolicy {
  /** What a thief may consider. */
  public enum Heuristic {
    /** Near victims first. */
    LOCALITY(1),

    /** Worthy colors only. */
    TIME_LEFT(2),

    /** Colors with little long-lived data first: costs are divided by the handlers' penalties. */
    PENALTY(4);

    private final int bit;

    Heuristic(int bit) {
      this.bit = bit;
    }

    private String text() {
      return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
  }

  /** No stealing. */
  public static final StealPolicy OFF = new StealPolicy(false, 0);

  /** Stealing without any heuristic. */
  public static final StealPolicy BASE = new StealPolicy(true, 0);

  /** Near victims first. */
  public static final StealPolicy LOCALITY = BASE.with(Heuristic.LOCALITY);

  /** Worthy colors only. */
  public static final StealPolicy TIME_LEFT = BASE.with(Heuristic.TIME_LEFT);

  /** Colors with little long-lived data first. */
  public static final StealPolicy PENALTY = BASE.with(Heuristic.PENALTY);

  /** All heuristics: the default. */
  public static final StealPolicy ALL = BASE.with(Heuristic.values());

  private final boolean steals;

  /** The bits of the heuristics that are on. */
  private final int on;

  /** Whether two of them are on: asked for each event. */
  private final boolean timeLeft;

  private final boolean penalty;

  private StealPolicy(boolean steals, int on) {
    this.steals = steals;
    this.on = on;
    this.timeLeft = isOn(Heuristic.TIME_LEFT);
    this.penalty = isOn(Heuristic.PENALTY);
  }

  /**
   * Returns a policy that steals, with the heuristics of this one and those that are given.
   *
   * @param heuristics to switch on
   * @return the policy
   */
  public StealPolicy with(Heuristic... heuristics) {
    int bits = on;
    for (Heuristic heuristic : Objects.requireNonNull(heuristics, "heuristics")) {
      bits |= Objects.requireNonNull(heuristic, "heuristic").bit;
    }
    return new StealPolicy(true, bits);
  }

  /**
   * Parses a name or several, joined by plus signs.
   *
   * @param text for example {@code "all"} or {@code "locality+time-left"}; case does not matter
   * @return the policy
   * @throws IllegalArgumentException if a name is unknown, or {@code off} stands beside another
   */
  public static StealPolicy parse(String text) {
    Objects.requireNonNull(text, "text");
    List<String> names = List.of(text.toLowerCase(Locale.ROOT).trim().split("\\s*\\+\\s*", -1));
    StealPolicy policy = BASE;
    for (String name : names) {
      switch (name) {
        case "off", "base" -> {}
        case "all" -> policy = ALL;
        default -> policy = policy.with(heuristic(name, text));
      }
    }
    if (!names.contains("off")) {
      return policy;
    }
    if (names.size() > 1) {
      throw new IllegalArgumentException(
          "'off' stands beside another steal policy in '" + text + "'");
    }
    return OFF;
  }

  private static Heuristic heuristic(String name, String text) {
    for (Heuristic heuristic : Heuristic.values()) {
      if (heuristic.text().equals(name)) {
        return heuristic;
      }
    }
    String known =
        Arrays.stream(Heuristic.values()).map(Heuristic::text).collect(Collectors.joining(", "));
    throw new IllegalArgumentException(
        "unknown steal policy '"
            + name
            + "' in '"
            + text
            + "'; known: off, base, "
            + known
            + ", all");
  }

  /**
   * Returns whether idle cores steal.
   *
   * @return false only if no heuristic is on
   */
  public boolean steals() {
    return steals;
  }

  /**
   * Returns whether a heuristic is on.
   *
   * @param heuristic one of them
   * @return true if it is
   */
  public boolean isOn(Heuristic heuristic) {
    return (on & Objects.requireNonNull(heuristic, "heuristic").bit) != 0;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof StealPolicy policy && steals == policy.steals && on == policy.on;
  }

  @Override
  public int hashCode() {
    return on;
  }

  /** The name that {@link #parse} understands. */
  @Override
  public String toString() {
    if (!steals) {
      return "off";
    }
    List<String> names = new ArrayList<>();
    for (Heuristic heuristic : Heuristic.values()) {
      if (isOn(heuristic)) {
        names.add(heuristic.text());
      }
    }
    if (names.size() == Heuristic.values().length) {
      return "all";
    }
    return names.isEmpty() ? "base" : String.join("+", names);
  }

  /** Whether thieves look into stealing-queues, and not into core-queues. */
  boolean usesStealingQueue() {
    return timeLeft || penalty;
  }

  /** What one pending event adds to its color: nanoseconds, or 1 where time plays no part. */
  long weigh(Handler<?> handler) {
    if (penalty) {
      return handler.discountedCostNanos();
    }
    return timeLeft ? handler.costNanos() : 1;
  }
}
