package dev.mely;

import java.util.List;
import java.util.Locale;

/**
 * What the cores have done so far. A snapshot: each figure is recent, but they are not taken at one
 * instant.
 *
 * @param cores one entry per core, by number
 * @param refused registrations that found no room: see {@link MelyBuilder#maxPending}
 * @param dropped events that had to give room to younger ones
 * @param blocked registrations that had to wait for room
 */
public record Statistics(List<PerCore> cores, long refused, long dropped, long blocked) {
  /** Copies the list. */
  public Statistics {
    cores = List.copyOf(cores);
  }

  /**
   * Adds all cores up.
   *
   * @return the sums; {@link PerCore#core} is -1
   */
  public PerCore total() {
    PerCore sum = new PerCore(-1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    for (PerCore c : cores) {
      sum = sum.plus(c);
    }
    return sum;
  }

  /** A table with one line per core and one for the sums. */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    line(
        text,
        "core",
        "events",
        "errors",
        "batches",
        "tried",
        "stolen",
        "stolen time",
        "steal time",
        "takeovers",
        "polls",
        "parks",
        "wakeups",
        "waiting",
        "parked time",
        "blocked");
    for (PerCore c : cores) {
      line(text, Integer.toString(c.core()), c);
    }
    line(text, "all", total());
    if (refused + dropped + blocked > 0) {
      text.append("refused ").append(refused);
      text.append(", dropped ").append(dropped);
      text.append(", blocked ").append(blocked).append('\n');
    }
    return text.toString();
  }

  private static void line(StringBuilder text, String name, PerCore c) {
    line(
        text,
        name,
        c.events(),
        c.errors(),
        c.batches(),
        c.stealsTried(),
        c.colorsStolen(),
        micros(c.stolenNanos()),
        micros(c.stealNanos()),
        c.takeovers(),
        c.polls(),
        c.parks(),
        c.wakeups(),
        c.colorsWaiting(),
        c.parkedNanos() / 1_000_000 + " ms",
        c.blockedHandlers());
  }

  private static String micros(long nanos) {
    return nanos / 1_000 + " us";
  }

  private static void line(StringBuilder text, Object... columns) {
    String gap = "";
    for (Object column : columns) {
      text.append(gap).append(String.format(Locale.ROOT, "%11s", column));
      gap = " ";
    }
    text.append('\n');
  }

  /**
   * One core.
   *
   * @param core number, from 0
   * @param events events that were run
   * @param errors events whose handler threw
   * @param batches times a color was run, up to the batch threshold
   * @param stealsTried searches for a color to steal
   * @param colorsStolen searches that won one
   * @param stolenNanos time spent in the first batch of stolen colors, nanoseconds
   * @param stealNanos time spent in searches that won, nanoseconds
   * @param takeovers colors taken from a core that was stuck in a handler
   * @param polls looks for external events
   * @param parks times the worker went to wait
   * @param wakeups times it was called to steal
   * @param colorsWaiting colors in the core-queue now; may count some that have been stolen
   * @param parkedNanos time the worker has waited, up to now, nanoseconds; the rest it was busy:
   *     running, searching or polling
   * @param blockedHandlers handlers that were {@linkplain ErrorHandler#onBlocked reported}
   */
  public record PerCore(
      int core,
      long events,
      long errors,
      long batches,
      long stealsTried,
      long colorsStolen,
      long stolenNanos,
      long stealNanos,
      long takeovers,
      long polls,
      long parks,
      long wakeups,
      long colorsWaiting,
      long parkedNanos,
      long blockedHandlers) {
    private PerCore plus(PerCore other) {
      return new PerCore(
          core,
          events + other.events,
          errors + other.errors,
          batches + other.batches,
          stealsTried + other.stealsTried,
          colorsStolen + other.colorsStolen,
          stolenNanos + other.stolenNanos,
          stealNanos + other.stealNanos,
          takeovers + other.takeovers,
          polls + other.polls,
          parks + other.parks,
          wakeups + other.wakeups,
          colorsWaiting + other.colorsWaiting,
          parkedNanos + other.parkedNanos,
          blockedHandlers + other.blockedHandlers);
    }

    static PerCore of(Core core, long now, long blockedHandlers) {
      Counters c = core.worker().counters;
      return new PerCore(
          core.index,
          c.events,
          c.errors,
          c.batches,
          c.stealsTried,
          c.stealsWon,
          c.stolenNanos,
          c.stealNanos,
          c.takeovers,
          c.polls,
          c.parks,
          c.wakeups,
          core.queue.size(),
          c.parkedNanos(now),
          blockedHandlers);
    }
  }
}
