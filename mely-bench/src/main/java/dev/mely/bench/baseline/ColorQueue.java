package dev.mely.bench.baseline;

import org.jspecify.annotations.Nullable;

/**
 * A color of {@link SpinlockMely}, and its pending events (Mely, section IV-A). It stays when it is
 * empty: the paper's table of colors, with the handle as the key. Fields are under the lock of the
 * core that it belongs to.
 */
final class ColorQueue {
  /** Not in the stealing-queue. */
  static final int UNWORTHY = -1;

  final boolean pinned;

  /** Written under its lock, and under the new core's too if any event waits. */
  volatile SpinlockCore core;

  @Nullable Job first;
  @Nullable Job last;
  int size;

  /** Cost over penalty of all pending events, in nanoseconds. */
  long timeLeft;

  // The core-queue.
  @Nullable ColorQueue previous;
  @Nullable ColorQueue next;

  // The stealing-queue.
  int interval = UNWORTHY;
  @Nullable ColorQueue previousWorthy;
  @Nullable ColorQueue nextWorthy;

  ColorQueue(SpinlockCore core, boolean pinned) {
    this.core = core;
    this.pinned = pinned;
  }

  void append(Job job) {
    Job youngest = last;
    if (youngest == null) {
      first = job;
    } else {
      youngest.next = job;
    }
    last = job;
    size++;
    timeLeft += job.weight;
  }

  /** Takes the oldest event; null if there is none. */
  @Nullable Job take() {
    Job job = first;
    if (job != null) {
      first = job.next;
      job.next = null;
      if (first == null) {
        last = null;
      }
      size--;
      timeLeft -= job.weight;
    }
    return job;
  }
}
