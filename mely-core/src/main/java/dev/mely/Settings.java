package dev.mely;

import java.util.function.IntBinaryOperator;

/**
 * What a runtime was built with: immutable, checked once by {@link MelyBuilder}.
 *
 * @param cores number of workers
 * @param policy which heuristics are on
 * @param batch most events of one color in a row
 * @param batchNanos most time, as far as it is known, that one color gets in a row
 * @param pollNanos how long a busy worker may go without looking for external events
 * @param watchNanos how long a handler may run before other colors are taken from its core
 * @param spins how often an idle worker looks around before it parks
 * @param stealingCapacity most entries in one interval of a stealing-queue
 * @param distance cache distance between two cores; constant if locality is off
 * @param randomMigration debug switch: random core at each activation
 * @param seed of the random migration
 * @param errors who is told of failures
 */
record Settings(
    int cores,
    StealPolicy policy,
    int batch,
    long batchNanos,
    long pollNanos,
    long watchNanos,
    int spins,
    int stealingCapacity,
    IntBinaryOperator distance,
    boolean randomMigration,
    long seed,
    Errors errors) {}
