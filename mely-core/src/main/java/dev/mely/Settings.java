package dev.mely;

import java.util.function.IntBinaryOperator;
import java.util.function.IntUnaryOperator;

/**
 * What a runtime was built with: immutable, checked once by {@link MelyBuilder}.
 *
 * @param cores number of workers
 * @param policy which heuristics are on
 * @param batch most events of one color in a row
 * @param batchNanos most time, as far as it is known, that one color gets in a row
 * @param pollNanos how long a busy worker may go without looking for external events
 * @param watchNanos how long a handler may run before other colors are taken from its core
 * @param blockedNanos how long a handler may run before it is reported; 0: it is not
 * @param spins how often an idle worker looks around before it parks
 * @param queueCapacity most colors that wait in one lane of a core-queue, a power of two from 4
 * @param stealingCapacity most entries in one interval of a stealing-queue
 * @param stealsOldest whether thieves take the color that has waited longest, not the largest
 * @param order in which order a core runs its colors
 * @param distance cache distance between two cores; constant if locality is off
 * @param domain which cache a core shares, numbered from 0
 * @param randomMigration debug switch: random core at each activation
 * @param seed of the random migration
 * @param maxPending most pending events in all; 0: no bound
 * @param maxPendingPerColor most pending events of one color; 0: no bound
 * @param overflow what happens to an event that finds no room
 * @param errors who is told of failures
 */
record Settings(
    int cores,
    StealPolicy policy,
    int batch,
    long batchNanos,
    long pollNanos,
    long watchNanos,
    long blockedNanos,
    int spins,
    int queueCapacity,
    int stealingCapacity,
    boolean stealsOldest,
    Mely.Order order,
    IntBinaryOperator distance,
    IntUnaryOperator domain,
    boolean randomMigration,
    long seed,
    long maxPending,
    int maxPendingPerColor,
    Mely.Overflow overflow,
    Errors errors) {}
