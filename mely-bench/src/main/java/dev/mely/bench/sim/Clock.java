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

  /** The highest number of an actor. */
  private static final int ANY = (1 << ACTOR_BITS) - 1;

  /** What stands for {@link #NEVER}: ten hours. */
  private static final long LATEST = NEVER >> ACTOR_BITS;

  /** How many leaves there are: a power of two. */
  private final int leaves;

  /**
   * A tournament: in the second half the actors' times, each with its actor in the lowest bits, so
   * that one comparison tells both; at i the lesser of those at 2 i and 2 i + 1, and the next one's
   * at 1. To know the least of two takes no branch, which nothing could predict here.
   */
  private final long[] tree;

  private long now;

  /** When whoever acts has begun to. */
  private long began;

  Clock(int actors) {
    if (actors > ANY + 1) {
      throw new IllegalArgumentException("too many actors: " + actors);
    }
    leaves = Math.max(2, Integer.highestOneBit(2 * actors - 1));
    tree = new long[2 * leaves];
    Arrays.setAll(tree, i -> i < leaves ? 0 : key(i - leaves, NEVER));
    for (int i = leaves - 1; i > 0; i--) {
      tree[i] = Math.min(tree[2 * i], tree[2 * i + 1]);
    }
  }

  private static long key(int actor, long time) {
    if (time >= LATEST && time != NEVER) {
      throw new IllegalArgumentException("too late: " + time);
    }
    return Math.min(time, LATEST) << ACTOR_BITS | actor;
  }

  private static int actor(long key) {
    return (int) key & ANY;
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
    long time = tree[leaves + actor] >> ACTOR_BITS;
    return time == LATEST ? NEVER : time;
  }

  /** Says when an actor goes on. */
  void set(int actor, long time) {
    int place = leaves + actor;
    tree[place] = key(actor, time);
    while (place > 1) {
      place >>= 1;
      long least = Math.min(tree[2 * place], tree[2 * place + 1]);
      if (tree[place] == least) {
        return;
      }
      tree[place] = least;
    }
  }

  /** The turn of the next: the time is now its own. Returns -1 if all wait to be called. */
  int next() {
    long first = tree[1];
    long time = first >> ACTOR_BITS;
    if (time == LATEST) {
      return -1;
    }
    now = time;
    began = time;
    return actor(first);
  }
}
