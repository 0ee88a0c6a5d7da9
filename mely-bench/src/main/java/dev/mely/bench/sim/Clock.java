package dev.mely.bench.sim;

import java.util.Arrays;

/**
 * The virtual time, in picoseconds: when each actor continues, and whose turn it is. An actor is a
 * core, or the source of arrivals. Of several actors at the same time, the lowest number is first,
 * so that a run depends only on its seed.
 */
final class Clock {
  /** The time of an actor that waits to be woken. */
  static final long NEVER = Long.MAX_VALUE;

  private static final int ACTOR_BITS = 8;

  /** Represents {@link #NEVER} in the tree: ten hours. */
  private static final long LATEST = NEVER >> ACTOR_BITS;

  private final int actors;

  /**
   * A tournament tree of times, each with its actor in the lowest bits: the root at 1, the children
   * of i at 2i and 2i + 1, the actors as leaves at the end. A parent has the lesser of its
   * children's.
   */
  private final long[] tree;

  private long now;

  Clock(int actors) {
    if (actors > 1 << ACTOR_BITS) {
      throw new IllegalArgumentException("too many actors: " + actors);
    }
    this.actors = actors;
    tree = new long[2 * actors];
    Arrays.fill(tree, Long.MAX_VALUE);
    for (int i = 0; i < actors; i++) {
      set(i, NEVER);
    }
  }

  private static long key(int actor, long time) {
    if (time >= LATEST && time != NEVER) {
      throw new IllegalArgumentException("too late: " + time);
    }
    return Math.min(time, LATEST) << ACTOR_BITS | actor;
  }

  /** The time of the current actor. */
  long now() {
    return now;
  }

  /** Advances the current actor's time. */
  void spend(long picos) {
    now += picos;
  }

  /** Advances the current actor's time to a later one. */
  void await(long time) {
    now = Math.max(now, time);
  }

  /** When an actor continues. */
  long timeOf(int actor) {
    long time = tree[actors + actor] >> ACTOR_BITS;
    return time == LATEST ? NEVER : time;
  }

  /** Sets when an actor continues. */
  void set(int actor, long time) {
    int i = actors + actor;
    tree[i] = key(actor, time);
    for (i /= 2; i > 0; i /= 2) {
      tree[i] = Math.min(tree[2 * i], tree[2 * i + 1]);
    }
  }

  /** Makes the next actor current, and returns it; -1 if all wait to be woken. */
  int next() {
    long first = tree[1];
    long time = first >> ACTOR_BITS;
    if (time == LATEST) {
      return -1;
    }
    now = time;
    return (int) first & ((1 << ACTOR_BITS) - 1);
  }
}
