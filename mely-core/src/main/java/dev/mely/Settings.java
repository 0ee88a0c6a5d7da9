package dev.mely;

import dev.mely.stage.Plan;
import java.time.Duration;
import java.util.function.IntBinaryOperator;
import java.util.function.IntUnaryOperator;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What a runtime is built with, and the defaults. {@link MelyBuilder} alone writes it, and checks
 * what it writes; each runtime has a copy, which never changes.
 */
final class Settings implements Cloneable {
  /** Number of workers. */
  int cores;

  /** Which heuristics are on. */
  StealPolicy policy = StealPolicy.ALL;

  /** Most events of one color in a row. */
  int batch = 10;

  /** Most time, as far as it is known, that one color gets in a row. */
  long batchNanos = 50_000;

  /** How long a busy worker may go without looking for external events. */
  long pollNanos = 200_000;

  /** How long a handler may run before other colors are taken from its core. */
  long stuckAfterNanos = 4_000_000;

  /** How long a handler may run before it is reported; 0: it is not. */
  long reportBlockedNanos = 500_000_000;

  /** How long {@link Mely#close} waits for pending events. */
  Duration closeTimeout = Duration.ofSeconds(10);

  /** How often an idle worker looks around before it parks. */
  int spins = 200;

  /** Most colors that wait in one lane of a core-queue, a power of two from 4. */
  int queueCapacity = CoreQueue.MAX_CAPACITY;

  /** Most entries in one interval of a stealing-queue. */
  int stealingCapacity = 1024;

  /** Whether thieves take the color that has waited longest, not the largest. */
  boolean stealsOldest;

  /** Whether thieves that find nothing worthy take what is next where much waits. */
  boolean choosesAgain = true;

  /** Whether a core runs the color first whose batch is the shortest, not in turn. */
  boolean cheapestFirst;

  /** Cache distance between two cores; constant if locality is off. */
  IntBinaryOperator distance = (a, b) -> 0;

  /** Which cache a core shares, numbered from 0. */
  IntUnaryOperator domain = core -> 0;

  /** Describes the CPUs and their caches, for people. */
  Supplier<String> machine = () -> "unknown";

  /** Debug switch: a random core at each activation. */
  boolean randomMigration;

  /** Of the random migration. */
  long seed;

  /** Most pending events in all; 0: no bound. */
  long maxPending;

  /** Most pending events of one color; 0: no bound. */
  int maxPendingPerColor;

  /** Whether a producer that finds no room waits for it. */
  boolean blocksProducers;

  /** Whether the stages that the program has are recorded. */
  boolean recordsStages;

  /** How many instances of each object a core's pool has; null: there are no pools. */
  @Nullable Plan plan;

  /** Asked before the end begins, and may refuse it by an exception. */
  Runnable shutdownGuard = () -> {};

  /** Who is told of failures. */
  Errors errors = new Errors(null);

  /** A copy with the same values. */
  Settings copy() {
    try {
      return (Settings) clone();
    } catch (CloneNotSupportedException e) {
      throw new AssertionError(e);
    }
  }
}
