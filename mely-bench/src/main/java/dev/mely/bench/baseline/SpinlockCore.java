package dev.mely.bench.baseline;

import org.jspecify.annotations.Nullable;

/** A core of {@link SpinlockMely}. All under its lock, except the two hints. */
final class SpinlockCore extends Core<ColorQueue> {
  /** The core-queue: color-queues that are not empty, in the order in which they run. */
  @Nullable ColorQueue head;

  @Nullable ColorQueue tail;

  /** The stealing-queue: worthy color-queues in three time-left intervals, the longest last. */
  final @Nullable ColorQueue[] worthy = new ColorQueue[3];

  /** Events of all its color-queues. */
  int events;

  /** Color-queues in the core-queue. */
  int colors;

  /** The color-queue of the running event; null if none is running. */
  @Nullable ColorQueue running;

  /** How many events of the running color have run in a row. */
  int batched;

  SpinlockCore(int index, SpinLock lock) {
    super(index, lock);
  }

  /** Appends a color-queue to the core-queue. */
  void enqueue(ColorQueue queue) {
    ColorQueue last = tail;
    queue.previous = last;
    queue.next = null;
    if (last == null) {
      head = queue;
    } else {
      last.next = queue;
    }
    tail = queue;
    colors++;
  }

  /** Removes a color-queue from the core-queue, at any position. */
  void dequeue(ColorQueue queue) {
    ColorQueue previous = queue.previous;
    ColorQueue next = queue.next;
    if (previous == null) {
      head = next;
    } else {
      previous.next = next;
    }
    if (next == null) {
      tail = previous;
    } else {
      next.previous = previous;
    }
    queue.previous = null;
    queue.next = null;
    colors--;
  }

  /** Moves a color-queue to another interval of the stealing-queue, into it, or out of it. */
  void place(ColorQueue queue, int interval) {
    if (queue.interval == interval) {
      return;
    }
    if (queue.interval != ColorQueue.UNWORTHY) {
      unlinkWorthy(queue);
    }
    queue.interval = interval;
    if (interval != ColorQueue.UNWORTHY) {
      linkWorthy(queue);
    }
  }

  private void linkWorthy(ColorQueue queue) {
    ColorQueue first = worthy[queue.interval];
    queue.nextWorthy = first;
    if (first != null) {
      first.previousWorthy = queue;
    }
    worthy[queue.interval] = queue;
    worthyCount.set(worthyCount.get() + 1);
  }

  private void unlinkWorthy(ColorQueue queue) {
    ColorQueue previous = queue.previousWorthy;
    ColorQueue next = queue.nextWorthy;
    if (previous == null) {
      worthy[queue.interval] = next;
    } else {
      previous.nextWorthy = next;
    }
    if (next != null) {
      next.previousWorthy = previous;
    }
    queue.previousWorthy = null;
    queue.nextWorthy = null;
    worthyCount.set(worthyCount.get() - 1);
  }
}
