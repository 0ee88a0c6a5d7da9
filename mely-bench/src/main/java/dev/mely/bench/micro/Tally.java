package dev.mely.bench.micro;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Counts the events that have run, without a counter that all workers would fight for: each worker
 * has a slot on cache lines of its own, and one reader adds them up.
 */
final class Tally {
  /** Longs from slot to slot: two cache lines, since neighbors are fetched in pairs. */
  private static final int STRIDE = 16;

  private static final int SLOTS = 256;

  private final AtomicLongArray counts = new AtomicLongArray((SLOTS + 2) * STRIDE);
  private final AtomicInteger taken = new AtomicInteger();

  /** Takes a slot, for a new worker. */
  int newSlot() {
    int slot = taken.getAndIncrement();
    if (slot >= SLOTS) {
      throw new IllegalStateException("more than " + SLOTS + " workers");
    }
    return (slot + 1) * STRIDE;
  }

  /** One more event has run. Only the worker that took the slot. */
  void count(int slot) {
    // Release: who sees the count also sees what the events did.
    counts.setRelease(slot, counts.getPlain(slot) + 1);
  }

  /** How many events have run. Any thread; never too many. */
  long sum() {
    long sum = 0;
    for (int i = taken.get(); i > 0; i--) {
      sum += counts.getAcquire(i * STRIDE);
    }
    return sum;
  }
}
