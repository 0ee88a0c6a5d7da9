package dev.mely.bench.sim;

import java.util.Arrays;

/**
 * The virtual time, in picoseconds: when each actor goes on, and whose turn it is. An actor is a
 * core, or the source of arrivals. Of several that go on at the same time the lowest number is
 * first, so that a run depends on its seed alone.
 */
final class Clock {
  /** The time of an actor that waits to be called. */
  static final long NEVER = Long.MAX_VALUE;

  /** A binary heap of actors, and beside each its time. */
  private final int[] heap;

  private final long[] times;

  /** By actor: its place in the heap. */
  private final int[] places;

  private long now;

  /** When whoever acts has begun to. */
  private long began;

  Clock(int actors) {
    heap = new int[actors];
    times = new long[actors];
    places = new int[actors];
    Arrays.fill(times, NEVER);
    Arrays.setAll(heap, i -> i);
    Arrays.setAll(places, i -> i);
  }

  /** The time of whoever acts. */
  long now() {
    return now;
  }

  /** Since when whoever acts has its turn. */
  long began() {
    return began;
  }

  /** Whoever acts spends so much time. */
  void spend(long picos) {
    now += picos;
  }

  /** Whoever acts waits until then, if that is later. */
  void await(long time) {
    now = Math.max(now, time);
  }

  /** When an actor goes on. */
  long timeOf(int actor) {
    return times[places[actor]];
  }

  /** Says when an actor goes on. */
  void set(int actor, long time) {
    int place = places[actor];
    if (time < times[place]) {
      up(actor, time, place);
    } else if (time > times[place]) {
      down(actor, time, place);
    }
  }

  /** The turn of the next: the time is now its own. Returns -1 if all wait to be called. */
  int next() {
    if (times[0] == NEVER) {
      return -1;
    }
    now = times[0];
    began = now;
    return heap[0];
  }

  /** Whether that actor goes on before the one at that place. */
  private boolean isBefore(int actor, long time, int place) {
    return time < times[place] || (time == times[place] && actor < heap[place]);
  }

  private void up(int actor, long time, int from) {
    int place = from;
    while (place > 0) {
      int parent = (place - 1) / 2;
      if (!isBefore(actor, time, parent)) {
        break;
      }
      put(heap[parent], times[parent], place);
      place = parent;
    }
    put(actor, time, place);
  }

  private void down(int actor, long time, int from) {
    int place = from;
    while (true) {
      int child = 2 * place + 1;
      if (child >= heap.length) {
        break;
      }
      if (child + 1 < heap.length && isBefore(heap[child + 1], times[child + 1], child)) {
        child++;
      }
      if (isBefore(actor, time, child)) {
        break;
      }
      put(heap[child], times[child], place);
      place = child;
    }
    put(actor, time, place);
  }

  private void put(int actor, long time, int place) {
    heap[place] = actor;
    times[place] = time;
    places[actor] = place;
  }
}
