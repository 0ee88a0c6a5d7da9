package dev.mely.bench.sim;

import dev.mely.VirtualRuntime;
import java.util.Arrays;

/**
 * Cores that search in vain. Such a core goes round its victims, and as long as nothing changes,
 * each look takes as long as the one before and shows the same. So these looks are not made one by
 * one: the core's next turn is when it comes to a victim that has something, or whose line it
 * lacks, when it sees its own queue filled, or when it gives up. A look that merely fetches a line
 * is made here; for any other the runtime is told what its thief has done until then, and makes the
 * step itself. The outcome is what it would be if it made them all.
 */
final class Searchers {
  private static final int BITS = 64;

  private final VirtualRuntime runtime;
  private final Machine machine;
  private final Clock clock;
  private final Looks looks;
  private final long lookPicos;

  /** If looks take no time, there is none in which to leave them out. */
  private final boolean everyLook;

  private final int cores;

  /** How many victims each has. */
  private final int victims;

  /** A core that has been round so often parks the next time. */
  private final int maxSpins;

  /** A bit for each core that searches. */
  private final long[] searching;

  /** By core: whether thieves find something there. */
  private final boolean[] hasPrey;

  // Of cores that search.
  private final int[][] order;

  /** By victim and core: the place of that victim in its order. */
  private final int[][] places;

  /** A bit for each place at which a look does more than to show nothing. */
  private final long[][] notable;

  /** Whether something may wait in its own queue, which it looks at when it has been round. */
  private final boolean[] filled;

  /** Whether the runtime does not make its looks, and what it has to be told some day. */
  private final boolean[] goesRound;

  /** The place of its next look, and when that begins. */
  private final int[] place;

  private final long[] since;

  /** After how many looks something happens, as far as was known when it began. */
  private final long[] planned;

  /** How often it has been round, how often of that the runtime knows, and since when it is. */
  private final int[] spins;

  private final int[] told;
  private final long[] begun;

  /**
   * By spins: whether a core then looks at its victims, when it does next, and how often by now.
   */
  private final boolean[] looksAround;

  private final int[] nextSearch;
  private final int[] searches;

  /** What thieves look at. */
  interface Looks {
    /** Whether a thief would find something there. */
    boolean hasPrey(int victim);

    /** Whether a thief has all lines that it would look at. */
    boolean hasLines(int thief, int victim);

    /** The acting core looks, and waits for what it lacks. */
    void look(int victim);
  }

  /**
   * @param everyLook whether the runtime shall make each look all the same
   */
  Searchers(VirtualRuntime runtime, Machine machine, Looks looks, boolean everyLook) {
    this.runtime = runtime;
    this.machine = machine;
    this.clock = machine.clock();
    this.looks = looks;
    this.lookPicos = Machine.picos(machine.costs.look());
    this.everyLook = everyLook || lookPicos == 0;
    this.cores = machine.cores();
    this.victims = cores - 1;
    int words = (cores + BITS - 1) / BITS;
    searching = new long[words];
    hasPrey = new boolean[cores];
    order = new int[cores][];
    places = new int[cores][cores];
    notable = new long[cores][words];
    filled = new boolean[cores];
    goesRound = new boolean[cores];
    place = new int[cores];
    since = new long[cores];
    planned = new long[cores];
    spins = new int[cores];
    told = new int[cores];
    begun = new long[cores];
    maxSpins = runtime.maxSpins();
    looksAround = new boolean[maxSpins + 1];
    searches = new int[maxSpins + 1];
    for (int i = 0; i <= maxSpins; i++) {
      looksAround[i] = runtime.looksAround(i);
      searches[i] = (i == 0 ? 0 : searches[i - 1]) + (looksAround[i] ? 1 : 0);
    }
    nextSearch = new int[maxSpins + 1];
    int next = maxSpins + 1;
    for (int i = maxSpins; i >= 0; i--) {
      nextSearch[i] = next;
      next = looksAround[i] ? i : next;
    }
  }

  // ---- The core that acts

  /** It has begun a search. Returns when it acts again. */
  long begin(int core) {
    searching[core / BITS] |= 1L << core;
    filled[core] = true;
    int[] all = runtime.victims(core);
    order[core] = all;
    Arrays.fill(notable[core], 0);
    for (int i = 0; i < all.length; i++) {
      places[all[i]][core] = i;
      see(core, i);
    }
    return next(core);
  }

  /** The runtime has made a step of its search. Returns when it acts again. */
  long stepped(int core, int victim) {
    if (victim >= 0) {
      see(core, places[victim][core]);
    }
    return next(core);
  }

  /** It searches no more. */
  void end(int core) {
    searching[core / BITS] &= ~(1L << core);
  }

  private void see(int core, int at) {
    int victim = order[core][at];
    long bit = 1L << at;
    if (hasPrey[victim] || !looks.hasLines(core, victim)) {
      notable[core][at / BITS] |= bit;
    } else {
      notable[core][at / BITS] &= ~bit;
    }
  }

  private long next(int core) {
    long now = clock.now();
    if (everyLook || victims == 0 || !runtime.goesRound(core)) {
      return now;
    }
    goesRound[core] = true;
    place[core] = runtime.place(core);
    spins[core] = runtime.spins(core);
    told[core] = spins[core];
    filled[core] = filled[core] && runtime.waiting(core) != 0;
    return goOn(core);
  }

  /** When something happens in its round. */
  private long goOn(int core) {
    long now = clock.now();
    since[core] = now;
    int from = place[core];
    int round = spins[core];
    long count = looksAround[round] ? nextNotable(core, from) : -1;
    if (count < 0 && filled[core]) {
      count = looksToOwn(from, round);
    } else if (count < 0) {
      long again = nextNotable(core, 0);
      int search = again < 0 ? maxSpins + 1 : nextSearch[round];
      count = (long) (search - round) * victims - from + (search <= maxSpins ? again : 0);
    }
    planned[core] = count;
    return now + count * lookPicos;
  }

  /** How many looks until it sees its own queue: at the end of a round, or all the time. */
  private int looksToOwn(int from, int round) {
    return looksAround[round] ? victims - from : 0;
  }

  /** How many looks from that place on show nothing, in this round; -1: all. */
  private int nextNotable(int core, int from) {
    if (from == victims) {
      return -1;
    }
    long[] bits = notable[core];
    int word = from / BITS;
    long left = bits[word] & -1L << from;
    while (left == 0) {
      if (++word == bits.length) {
        return -1;
      }
      left = bits[word];
    }
    return word * BITS + Long.numberOfTrailingZeros(left) - from;
  }

  /**
   * It has its turn.
   *
   * @return when it acts again, if all is done; -1: the runtime must make its next step
   */
  long turn(int core) {
    if (!goesRound[core]) {
      return -1;
    }
    long passed = clock.now() - since[core];
    long count = planned[core]; // mostly, and a division takes its time
    move(core, passed == count * lookPicos ? count : passed / lookPicos);
    if (place[core] == victims && !filled[core] && spins[core] < maxSpins) {
      place[core] = 0;
      spins[core]++;
      begun[core] = clock.now();
    }
    int at = place[core];
    boolean looks = looksAround[spins[core]];
    if (at == victims || (looks ? hasPrey[order[core][at]] : filled[core])) {
      tell(core);
      goesRound[core] = false;
      return -1;
    }
    if (looks) {
      clock.spend(lookPicos);
      this.looks.look(order[core][at]);
      notable[core][at / BITS] &= ~(1L << at); // nothing is there, and now it has the line
      place[core]++;
    }
    return goOn(core);
  }

  /** It has made so many looks. At the end of a round it has not begun the next. */
  private void move(int core, long count) {
    if (count == 0) {
      return;
    }
    int from = place[core];
    int rounds = from + count <= victims ? 0 : Math.toIntExact((from + count - 1) / victims);
    if (rounds > 0) {
      spins[core] += rounds;
      begun[core] = since[core] + ((long) rounds * victims - from) * lookPicos;
    }
    place[core] = Math.toIntExact(from + count - (long) rounds * victims);
    since[core] += count * lookPicos;
  }

  private void tell(int core) {
    int rounds = spins[core] - told[core];
    int looked = searches[spins[core]] - searches[told[core]];
    runtime.wentRound(core, place[core], rounds, looked, begun[core] / Machine.NANO);
    told[core] = spins[core];
  }

  // ---- What the core that acts has changed

  /** What thieves find there has changed, or they have to fetch a line again. */
  void changed(int victim) {
    hasPrey[victim] = looks.hasPrey(victim);
    int[] placesThere = places[victim];
    for (int i = 0; i < searching.length; i++) {
      for (long bits = searching[i]; bits != 0; bits &= bits - 1) {
        int core = i * BITS + Long.numberOfTrailingZeros(bits);
        if (core != victim) {
          int at = placesThere[core];
          long bit = 1L << at;
          if ((notable[core][at / BITS] & bit) == 0) {
            notable[core][at / BITS] |= bit;
            hurry(core, at, false);
          }
        }
      }
    }
  }

  /** Something waits in a core's own queue. */
  void filled(int core) {
    if (!filled[core]) {
      filled[core] = true;
      hurry(core, victims, true);
    }
  }

  /** It must act when it comes to that place the next time, or to its own queue. */
  private void hurry(int core, int at, boolean own) {
    if (!goesRound[core]) {
      return;
    }
    long done = looksDone(core);
    long walked = place[core] + done;
    int rounds = walked <= victims ? 0 : Math.toIntExact((walked - 1) / victims);
    int round = spins[core] + rounds;
    int from = Math.toIntExact(walked - (long) rounds * victims);
    long count = done;
    if (own) {
      count += from == victims ? 0 : looksToOwn(from, round);
    } else if (looksAround[round] && from <= at) {
      count += at - from;
    } else if (nextSearch[round] <= maxSpins) {
      count += (long) (nextSearch[round] - round) * victims - from + at;
    } else {
      return; // it parks before
    }
    long then = since[core] + count * lookPicos;
    if (then < clock.timeOf(core)) {
      clock.set(core, then);
      planned[core] = count;
    }
  }

  /** How many of the looks that are left out come before the turn of whoever acts. */
  private long looksDone(int core) {
    long passed = clock.began() - since[core];
    if (passed < 0) {
      return 0;
    }
    int actor = machine.current() == Machine.OUTSIDE ? cores : machine.current();
    long done = passed / lookPicos;
    return passed % lookPicos != 0 || core < actor ? done + 1 : done;
  }

  /** The run is over, or halts: the runtime is told what all have done until now. */
  void settle() {
    for (int core = 0; core < cores; core++) {
      if (goesRound[core]) {
        move(core, looksDone(core));
        tell(core);
      }
    }
  }
}
