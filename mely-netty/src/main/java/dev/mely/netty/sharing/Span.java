package dev.mely.netty.sharing;

import org.jspecify.annotations.Nullable;

/**
 * Something that an event loop ran, from its outermost call to its return.
 *
 * @param channel the pipeline whose handlers ran; null: a task, of no known channel
 * @param start in nanoseconds of some clock, the same for all loops
 * @param end on the same clock
 */
public record Span(@Nullable Object channel, long start, long end) {
  /** A shorter pause between two is Netty's own work: the system's calls for the next channel. */
  public static final long PAUSE_NANOS = 20_000;
}
