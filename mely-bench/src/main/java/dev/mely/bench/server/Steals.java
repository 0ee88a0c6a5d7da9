package dev.mely.bench.server;

import dev.mely.netty.MelyEventLoopGroup;
import dev.mely.report.Statistics;
import io.netty.channel.EventLoopGroup;

/**
 * Colors that have been stolen.
 *
 * @param count how many
 * @param costNanos what the searches took that won them
 * @param stolenNanos how long thieves were in them at once
 */
record Steals(long count, long costNanos, long stolenNanos) {
  static final Steals NONE = new Steals(0, 0, 0);

  /** Those in a group so far; none in one that does not steal. */
  static Steals of(EventLoopGroup group) {
    return group instanceof MelyEventLoopGroup mely ? of(mely.statistics()) : NONE;
  }

  /** Those in a runtime so far. */
  static Steals of(Statistics statistics) {
    Statistics.PerCore total = statistics.total();
    return new Steals(total.colorsStolen(), total.stealNanos(), total.stolenNanos());
  }

  /** Those between two looks. */
  Steals since(Steals before) {
    return new Steals(
        count - before.count, costNanos - before.costNanos, stolenNanos - before.stolenNanos);
  }
}
