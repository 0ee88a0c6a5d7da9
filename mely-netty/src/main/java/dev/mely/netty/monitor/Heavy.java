package dev.mely.netty.monitor;

import org.jspecify.annotations.Nullable;

/**
 * A color, a channel or a handler that keeps cores busy, in one second.
 *
 * @param share of one core's time in which it ran: 0 to 1, and more for handlers that ran on
 *     several cores at once
 * @param queued share of the time in which it waited for its core: 0 to 1, and more for handlers
 *     with several colors; null: not known
 * @param pending events, when it was seen last; null: not known
 * @param costMicros of an event; null: not known
 * @param penalty null: not known
 */
record Heavy(
    String name,
    double share,
    @Nullable Double queued,
    @Nullable Double pending,
    @Nullable Double costMicros,
    @Nullable Double penalty) {
  Json json() {
    return new Json()
        .put("name", name)
        .put("share", share)
        .put("queued", queued)
        .put("pending", pending)
        .put("costMicros", costMicros)
        .put("penalty", penalty);
  }
}
