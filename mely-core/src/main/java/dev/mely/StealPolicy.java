package dev.mely;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Which stealing heuristics are on. Immutable; each can be switched alone, by name, to see what it
 * contributes.
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
 * <tr><td>{@code all}</td><td>the three together</td></tr>
 * </table>
 *
 * <p>Names combine with a plus sign: {@code time-left+penalty}.
 *
 * @param stealing whether idle cores steal at all
 * @param locality whether victims are ordered by cache distance
 * @param timeLeft whether only worthy colors are stolen
 * @param penalty whether costs are divided by the handlers' penalties
 */
public record StealPolicy(boolean stealing, boolean locality, boolean timeLeft, boolean penalty) {
  /** No stealing. */
  public static final StealPolicy OFF = new StealPolicy(false, false, false, false);

  /** Stealing without any heuristic. */
  public static final StealPolicy BASE = new StealPolicy(true, false, false, false);

  /** Near victims first. */
  public static final StealPolicy LOCALITY = new StealPolicy(true, true, false, false);

  /** Worthy colors only. */
  public static final StealPolicy TIME_LEFT = new StealPolicy(true, false, true, false);

  /** Colors with little long-lived data first. */
  public static final StealPolicy PENALTY = new StealPolicy(true, false, false, true);

  /** All heuristics: the default. */
  public static final StealPolicy ALL = new StealPolicy(true, true, true, true);

  /**
   * Checks the combination.
   *
   * @throws IllegalArgumentException if a heuristic is on and stealing is off
   */
  public StealPolicy {
    if (!stealing && (locality || timeLeft || penalty)) {
      throw new IllegalArgumentException("a stealing heuristic is on, but stealing is off");
    }
  }

  /**
   * Parses a name or several, joined by plus signs.
   *
   * @param text for example {@code "all"} or {@code "locality+time-left"}; case does not matter
   * @return the policy
   * @throws IllegalArgumentException if a name is unknown, or {@code off} stands beside another
   */
  public static StealPolicy parse(String text) {
    boolean off = false;
    boolean locality = false;
    boolean timeLeft = false;
    boolean penalty = false;
    List<String> names = List.of(text.toLowerCase(Locale.ROOT).trim().split("\\s*\\+\\s*", -1));
    for (String name : names) {
      switch (name) {
        case "off" -> off = true;
        case "base" -> {}
        case "locality" -> locality = true;
        case "time-left" -> timeLeft = true;
        case "penalty" -> penalty = true;
        case "all" -> {
          locality = true;
          timeLeft = true;
          penalty = true;
        }
        default ->
            throw new IllegalArgumentException(
                "unknown steal policy '"
                    + name
                    + "' in '"
                    + text
                    + "'; known: off, base, locality, time-left, penalty, all");
      }
    }
    if (off && names.size() > 1) {
      throw new IllegalArgumentException(
          "'off' stands beside another steal policy in '" + text + "'");
    }
    return new StealPolicy(!off, locality, timeLeft, penalty);
  }

  /** The name that {@link #parse} understands. */
  @Override
  public String toString() {
    if (!stealing) {
      return "off";
    }
    if (locality && timeLeft && penalty) {
      return "all";
    }
    List<String> names = new ArrayList<>();
    if (locality) {
      names.add("locality");
    }
    if (timeLeft) {
      names.add("time-left");
    }
    if (penalty) {
      names.add("penalty");
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
