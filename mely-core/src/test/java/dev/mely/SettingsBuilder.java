package dev.mely;

import java.util.function.IntBinaryOperator;
import java.util.function.IntUnaryOperator;

/** Settings for tests: small figures, everything optional off. */
final class SettingsBuilder {
  int cores = 1;
  StealPolicy policy = StealPolicy.ALL;
  int batch = 10;
  long batchNanos = 50_000;
  long pollNanos = 200_000;
  long watchNanos = 5_000_000;
  int spins;
  int queueCapacity = 1 << 20;
  int stealingCapacity = 1024;
  boolean stealsOldest;
  Mely.Order order = Mely.Order.ROTATION;
  IntBinaryOperator distance = (a, b) -> 0;
  IntUnaryOperator domain = core -> 0;
  boolean randomMigration;
  long seed;
  long maxPending;
  int maxPendingPerColor;
  Mely.Overflow overflow = Mely.Overflow.REJECT;
  ErrorHandler errors = (color, event, error) -> {};

  Settings build() {
    return new Settings(
        cores,
        policy,
        batch,
        batchNanos,
        pollNanos,
        watchNanos,
        0,
        spins,
        queueCapacity,
        stealingCapacity,
        stealsOldest,
        order,
        distance,
        domain,
        randomMigration,
        seed,
        maxPending,
        maxPendingPerColor,
        overflow,
        new Errors(errors));
  }
}
