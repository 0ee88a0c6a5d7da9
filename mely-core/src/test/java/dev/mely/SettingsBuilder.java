package dev.mely;

import dev.mely.stage.Plan;
import java.util.function.IntBinaryOperator;
import java.util.function.IntUnaryOperator;
import org.jspecify.annotations.Nullable;

/** Settings for tests: small figures, everything optional off. */
final class SettingsBuilder {
  int cores = 1;
  StealPolicy policy = StealPolicy.ALL;
  int batch = 10;
  long batchNanos = 50_000;
  long pollNanos = 200_000;
  long stuckAfterNanos = 5_000_000;
  int spins;
  int queueCapacity = 1 << 20;
  int stealingCapacity = 1024;
  boolean stealsOldest;
  boolean choosesAgain = true;
  MelyBuilder.Order order = MelyBuilder.Order.ROTATION;
  IntBinaryOperator distance = (a, b) -> 0;
  IntUnaryOperator domain = core -> 0;
  boolean randomMigration;
  long seed;
  long maxPending;
  int maxPendingPerColor;
  MelyBuilder.Overflow overflow = MelyBuilder.Overflow.REJECT;
  @Nullable Plan plan;
  ErrorHandler errors = (color, event, error) -> {};

  Settings build() {
    Settings made = new Settings();
    made.cores = cores;
    made.policy = policy;
    made.batch = batch;
    made.batchNanos = batchNanos;
    made.pollNanos = pollNanos;
    made.stuckAfterNanos = stuckAfterNanos;
    made.reportBlockedNanos = 0;
    made.spins = spins;
    made.queueCapacity = queueCapacity;
    made.stealingCapacity = stealingCapacity;
    made.stealsOldest = stealsOldest;
    made.choosesAgain = choosesAgain;
    made.cheapestFirst = order == MelyBuilder.Order.CHEAPEST_FIRST;
    made.distance = distance;
    made.domain = domain;
    made.randomMigration = randomMigration;
    made.seed = seed;
    made.maxPending = maxPending;
    made.maxPendingPerColor = maxPendingPerColor;
    made.blocksProducers = overflow == MelyBuilder.Overflow.BLOCK;
    made.plan = plan;
    made.errors = new Errors(errors);
    return made;
  }
}
