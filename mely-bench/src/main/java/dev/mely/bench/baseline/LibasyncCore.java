package dev.mely.bench.baseline;

import org.jspecify.annotations.Nullable;

/**
 * A core of {@link Libasync}: one flat queue of events of all colors. All under the core's lock.
 *
 * <pre>
 *   head -> cpucb -> cpucb -> io -> io -> io -> null
 *                      ^                   ^
 *                   cpucbTail             tail
 * </pre>
 */
final class LibasyncCore extends Core<LibasyncColor.Slot> {
  @Nullable Job head;
  @Nullable Job tail;
  @Nullable Job cpucbTail;

  /** Events in the queue. */
  int size;

  /** Slots that have events in the queue. */
  int colors;

  /** The color of the event that is running; null if none is. */
  @Nullable LibasyncColor running;

  /** How many events of that color have run in a row. */
  int inARow;

  LibasyncCore(int index, SpinLock lock) {
    super(index, lock);
  }

  /** Appends an event, at the end. */
  void append(Job job) {
    Job last = tail;
    if (last == null) {
      head = job;
    } else {
      last.next = job;
    }
    tail = job;
  }

  /** Inserts an event before all I/O events, after other {@code cpucb} ones. */
  void appendCpucb(Job job) {
    Job last = cpucbTail;
    if (last == null) {
      job.next = head;
      head = job;
    } else {
      job.next = last.next;
      last.next = job;
    }
    if (job.next == null) {
      tail = job;
    }
    cpucbTail = job;
  }

  /** Removes the event after a given one; null: the one at the head. */
  void remove(@Nullable Job before, Job job) {
    if (before == null) {
      head = job.next;
    } else {
      before.next = job.next;
    }
    if (tail == job) {
      tail = before;
    }
    if (cpucbTail == job) {
      cpucbTail = before;
    }
    job.next = null;
  }

  /** Counts an event of a slot. */
  void counted(LibasyncColor.Slot slot) {
    if (slot.pending++ == 0) {
      colors++;
    }
    load.set(++size);
  }

  /** Uncounts an event of a slot. */
  void uncounted(LibasyncColor.Slot slot) {
    if (--slot.pending == 0) {
      colors--;
    }
    load.set(--size);
  }
}
