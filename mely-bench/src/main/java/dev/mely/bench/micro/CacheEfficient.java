package dev.mely.bench.micro;

import dev.mely.Handler;
import dev.mely.bench.baseline.Contestant;
import dev.mely.bench.baseline.Job;
import dev.mely.bench.baseline.Worker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The first of every two neighboring cores starts with a hundred events A. Each fills an array that
 * fits the cache and registers two events B, of other colors, on the same core; each B sorts a
 * half, and then registers an event C of A's color. The second C merges the halves (Mely, section
 * V-B (g)). A neighboring thief finds the array in the cache that it shares with the victim.
 *
 * @param <C> type of a color
 */
final class CacheEfficient<C> extends Rounds<C> {
  private static final int SORTS = 100;

  /** A, two B, two C. */
  private static final int EVENTS = 5;

  /**
   * 4 KB: follows approximately from the rates in Table VI, on the four cores that share the work.
   */
  private static final int LENGTH = 1_024;

  private static final long SEED_STEP = 0x9E3779B97F4A7C15L;
  private static final Duration COST_OF_A = Duration.ofNanos(1_000);
  private static final Duration COST_OF_B = Duration.ofNanos(12_000);
  private static final Duration COST_OF_C = Duration.ofNanos(1_000);

  private final List<Sort> sorts = new ArrayList<>();

  CacheEfficient(Contestant<C> contestant) {
    super(contestant, events(contestant.cores()));
    Handler<Job> a = contestant.kind(COST_OF_A, 1);
    Handler<Job> b = contestant.kind(COST_OF_B, 1);
    Handler<Job> c = contestant.kind(COST_OF_C, 1);
    for (int i = 0; i < events(contestant.cores()) / EVENTS; i++) {
      int core = contestant.place(i / SORTS * 2, 1); // all take the same time
      sorts.add(new Sort(a, b, c, core));
    }
  }

  /** Number of events in a round: those of every second core. */
  static int events(int cores) {
    return (cores + 1) / 2 * SORTS * EVENTS;
  }

  @Override
  void begin() {
    for (Sort sort : sorts) {
      contestant.moveTo(sort.color, sort.core);
      contestant.moveTo(sort.left.color, sort.core);
      contestant.moveTo(sort.right.color, sort.core);
      contestant.register(sort.color, sort);
    }
  }

  /** Event A. */
  private final class Sort extends Job {
    final int core;
    final C color;
    final Half left;
    final Half right;
    private final int[] array = new int[LENGTH];
    private final int[] merged = new int[LENGTH];

    /** Events C that have run in this round. Plain: they have one color. */
    private int joined;

    Sort(Handler<Job> a, Handler<Job> b, Handler<Job> c, int core) {
      super(a);
      this.core = core;
      this.color = contestant.newColor(core);
      this.left = new Half(b, new Join(c, this), 0);
      this.right = new Half(b, new Join(c, this), LENGTH / 2);
    }

    @Override
    public void run() {
      Worker worker = contestant.worker();
      long random = worker.result;
      for (int i = 0; i < LENGTH; i++) {
        random = random * SEED_STEP + 1;
        array[i] = (int) (random >>> 32);
      }
      worker.result = random;
      joined = 0;
      worker.count();
      contestant.register(left.color, left);
      contestant.register(right.color, right);
    }

    private void merge() {
      int l = 0;
      int r = LENGTH / 2;
      for (int i = 0; i < LENGTH; i++) {
        boolean fromLeft = r == LENGTH || (l < LENGTH / 2 && array[l] <= array[r]);
        merged[i] = fromLeft ? array[l++] : array[r++];
      }
    }
  }

  /** Event B. */
  private final class Half extends Job {
    final C color;
    private final Join join;
    private final int from;

    Half(Handler<Job> kind, Join join, int from) {
      super(kind);
      this.join = join;
      this.from = from;
      this.color = contestant.newColor(join.sort.core);
    }

    @Override
    public void run() {
      Arrays.sort(join.sort.array, from, from + LENGTH / 2);
      contestant.worker().count();
      contestant.register(join.sort.color, join);
    }
  }

  /** Event C. */
  private final class Join extends Job {
    final Sort sort;

    Join(Handler<Job> kind, Sort sort) {
      super(kind);
      this.sort = sort;
    }

    @Override
    public void run() {
      if (++sort.joined == 2) {
        sort.merge();
      }
      contestant.worker().count();
    }
  }
}
