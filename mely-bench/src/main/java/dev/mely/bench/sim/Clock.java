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

  /** By actor. */
  private final long[] times;

  /** A binary heap of actors. */
  private final int[] heap;

  /** By actor: its place in the heap. */
  private final int[] places;

  private long now;

  Clock(int actors) {
    times = new long[actors];
    heap = new int[actors];
    places = new int[actors];
    Arrays.fill(times, NEVER);
    Arrays.setAll(heap, i -> i);
    Arrays.setAll(places, i -> i);
  }

  /** The time of whoever acts. */
  long now() {
    return now;
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
    return times[actor];
  }

  /** Says when an actor goes on. */
  void set(int actor, long time) {
    long before = times[actor];
    times[actor] = time;
    if (time < before) {
      up(places[actor]);
    } else if (time > before) {
      down(places[actor]);
    }
  }

  /** The turn of the next: the time is now its own. Returns -1 if all wait to be called. */
  int next() {
    int first = heap[0];
    if (times[first] == NEVER) {
      return -1;
    }
    now = times[first];
    return first;
  }

  private boolean isBefore(int a, int b) {
    return times[a] < times[b] || (times[a] == times[b] && a < b);
  }

  private void up(int from) {
    int place = from;
    int actor = heap[place];
    while (place > 0) {
      int parent = (place - 1) / 2;
      if (!isBefore(actor, heap[parent])) {
        break;
      }
      put(heap[parent], place);
      place = parent;
    }
    put(actor, place);
  }

  private void down(int from) {
    int place = from;
    int actor = heap[place];
    while (true) {
      int child = 2 * place + 1;
      if (child >= heap.length) {
        break;
      }
      if (child + 1 < heap.length && isBefore(heap[child + 1], heap[child])) {
        child++;
      }
      if (!isBefore(heap[child], actor)) {
        break;
      }
      put(heap[child], place);
      place = child;
    }
    put(actor, place);
  }

  private void put(int actor, int place) {
    heap[place] = actor;
    places[actor] = place;
  }
}
