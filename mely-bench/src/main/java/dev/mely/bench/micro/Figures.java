package dev.mely.bench.micro;

/**
 * What a contestant has done so far, in all.
 *
 * @param events events that have run
 * @param steals colors, or tasks, stolen
 * @param stolenNanos work that the steals won
 * @param stealNanos what the steals cost
 * @param takeovers steals from a worker that was stuck in a handler, of any color
 * @param parks times a worker went to sleep
 * @param wakeups times a worker was called to steal
 * @param bytes allocated by the workers
 */
record Figures(
    long events,
    long steals,
    long stolenNanos,
    long stealNanos,
    long takeovers,
    long parks,
    long wakeups,
    long bytes) {}
