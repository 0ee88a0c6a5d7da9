package dev.mely.bench.baseline;

import org.jspecify.annotations.Nullable;

/**
 * A color of {@link SpinlockMely}, and its pending events (Mely, section IV-A). It is kept when it
 * is empty, like an entry in the paper's table of colors. Fields are guarded by the lock of its
 * core.
 */
final class ColorQueue {
  /** Not in the stealing-queue. */
  static final int UNWORTHY = -1;

  final boolean pinned;

  /** Written under its lock, and also under the new core's lock if an event is pending. */
  volatile SpinlockCore core;

  @Nullable Job first;
  @Nullable Job last;
  int size;

  /** Sum of cost divided by penalty of all pending events, in nanoseconds. */
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
