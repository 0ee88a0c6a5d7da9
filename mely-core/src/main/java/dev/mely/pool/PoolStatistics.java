package dev.mely.pool;

/**
 * What a {@link Pool} has done so far: a snapshot, whose figures may be of slightly different
 * moments while the pool is in use.
 *
 * @param taken instances handed out
 * @param returned instances freed, by any thread
 * @param fallbacks how often {@link Pool#take} had nothing to hand out
 * @param liveBytes in instances that are out now, as parts of the slab
 * @param peakLiveBytes the highest {@code liveBytes} that there have been
 */
public record PoolStatistics(
    long taken, long returned, long fallbacks, long liveBytes, long peakLiveBytes) {}
