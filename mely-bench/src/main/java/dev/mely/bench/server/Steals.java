package dev.mely.bench.server;

import dev.mely.netty.MelyEventLoopGroup;
import dev.mely.report.Statistics;
import io.netty.channel.EventLoopGroup;

/**
 * Stolen colors.
 *
 * @param count number of steals
 * @param costNanos duration of the successful searches
 * @param stolenNanos time that thieves spent in stolen colors directly after the steals
 */
record Steals(long count, long costNanos, long stolenNanos) {
  static final Steals NONE = new Steals(0, 0, 0);

  /** The steals of a group so far; zero if it does not steal. */
  static Steals of(EventLoopGroup group) {
    return group instanceof MelyEventLoopGroup mely ? of(mely.statistics()) : NONE;
  }

  /** The steals of a runtime so far. */
  static Steals of(Statistics statistics) {
    Statistics.PerCore total = statistics.total();
    return new Steals(total.colorsStolen(), total.stealNanos(), total.stolenNanos());
  }

  /** The difference to an earlier reading. */
  Steals since(Steals before) {
    return new Steals(
        count - before.count, costNanos - before.costNanos, stolenNanos - before.stolenNanos);
  }
}
