package dev.mely.kafka;

import dev.mely.Color;
import dev.mely.Event;
import java.util.ArrayDeque;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * A key with records that are not done. As an event it goes on with them, after a record that had
 * to be waited for: one that is handled asynchronously, or that is tried again.
 *
 * <pre>
 *            a record has to be waited for
 *   OPEN ------------------------------------&gt; HELD: records of its color queue up here
 *     ^                                           |
 *     |    nothing is left in the queue           |  the outcome is there, or the back-off is over
 *     +------------------------------------- GOES ON (this event)
 * </pre>
 */
final class LiveKey extends Event {
  /** What is looked up; null: the record has no key, and this is its alone. */
  final @Nullable Object key;

  final Color color;

  /** Consumer's thread only: records that have not come back from the color. */
  int pending;

  /** Color only: the record that the others wait for. */
  @Nullable PendingRecord heldBy;

  /** Color only: they wait, in order; null: none ever has. */
  private @Nullable Queue<PendingRecord> held;

  LiveKey(@Nullable Object key, Color color) {
    super(false); // there is one for a key at most, and it must not be refused
    this.key = key;
    this.color = color;
  }

  boolean isHeld() {
    return heldBy != null || (held != null && !held.isEmpty());
  }

  void hold(PendingRecord record) {
    if (held == null) {
      held = new ArrayDeque<>();
    }
    held.add(record);
  }

  @Nullable PendingRecord pollHeld() {
    return held == null ? null : held.poll();
  }

  @Override
  public String toString() {
    return "key " + key;
  }
}
