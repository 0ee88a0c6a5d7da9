package dev.mely.netty.doctor;

import org.jspecify.annotations.Nullable;

/**
 * Something that an event loop ran, from its outermost call to its return.
 *
 * @param channel the pipeline whose handlers ran; null: a task, of no known channel
 * @param start in {@link Hooks#now}
 * @param end in {@link Hooks#now}
 */
record Span(@Nullable Object channel, long start, long end) {}
