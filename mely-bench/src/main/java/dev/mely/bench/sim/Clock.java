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

  private static final int ACTOR_BITS = 8;

  /** What stands for {@link #NEVER}: ten hours. */
  private static final long LATEST = NEVER >> ACTOR_BITS;

  /** So many children a place of the heap has: they lie side by side. */
  private static final int CHILDREN = 4;

  /** A heap of times, each with its actor in the lowest bits, so that one comparison tells both. */
  private final long[] heap;

  /** By actor: its place in the heap. */
  private final int[] places;

  private long now;

  /** When whoever acts has begun to. */
  private long began;

  Clock(int actors) {
    if (actors > 1 << ACTOR_BITS) {
      throw new IllegalArgumentException("too many actors: " + actors);
    }
    heap = new long[actors];
    places = new int[actors];
    Arrays.setAll(heap, i -> key(i, NEVER));
    Arrays.setAll(places, i -> i);
  }

  private static long key(int actor, long time) {
    if (time >= LATEST && time != NEVER) {
      throw new IllegalArgumentException("too late: " + time);
    }
    return Math.min(time, LATEST) << ACTOR_BITS | actor;
  }

  private static int actor(long key) {
    return (int) key & ((1 << ACTOR_BITS) - 1);
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
    long time = heap[places[actor]] >> ACTOR_BITS;
    return time == LATEST ? NEVER : time;
  }

  /** Says when an actor goes on. */
  void set(int actor, long time) {
    int place = places[actor];
    long key = key(actor, time);
    if (key < heap[place]) {
      up(key, place);
    } else if (key > heap[place]) {
      down(key, place);
    }
  }

  /** The turn of the next: the time is now its own. Returns -1 if all wait to be called. */
  int next() {
    long first = heap[0];
    long time = first >> ACTOR_BITS;
    if (time == LATEST) {
      return -1;
    }
    now = time;
    began = time;
    return actor(first);
  }

  private void up(long key, int from) {
    int place = from;
    while (place > 0) {
      int parent = (place - 1) / CHILDREN;
      if (key > heap[parent]) {
        break;
      }
      put(heap[parent], place);
      place = parent;
    }
    put(key, place);
  }

  private void down(long key, int from) {
    int place = from;
    while (true) {
      int child = CHILDREN * place + 1;
      if (child >= heap.length) {
        break;
      }
      int last = Math.min(child + CHILDREN, heap.length);
      long least = heap[child];
      int at = child;
      for (int i = child + 1; i < last; i++) {
        if (heap[i] < least) {
          least = heap[i];
          at = i;
        }
      }
      if (key < least) {
        break;
      }
      put(least, place);
      place = at;
    }
    put(key, place);
  }

  private void put(long key, int place) {
    heap[place] = key;
    places[actor(key)] = place;
  }
}
