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
 * Many events A on core 0, of distinct colors. Each fills an array that fits a core's cache, and
 * starts a chain of events B of its color, each of which reads another part of the array (Mely,
 * section V-B (f)). A thief should take a color before its array is in another core's cache: B has
 * a penalty of 1000, A none.
 *
 * @param <C> type of a color
 */
final class Penalty<C> extends Rounds<C> {
  /** Events A of a round. */
  static final int CHAINS = 100;

  /** Events B after each event A. */
  static final int LINKS = 128;

  /** Longs read by one event B: 2 KB; the array has 256 KB. */
  private static final int PART = 256;

  private static final int PENALTY = 1_000;
  private static final Duration COST_OF_A = Duration.ofNanos(20_000);
  private static final Duration COST_OF_B = Duration.ofNanos(300);

  private final List<Chain> chains = new ArrayList<>();

  Penalty(Contestant<C> contestant) {
    super(contestant, CHAINS * (1 + LINKS));
    Handler<Job> a = contestant.kind(COST_OF_A, 1);
    Handler<Job> b = contestant.kind(COST_OF_B, PENALTY);
    for (int i = 0; i < CHAINS; i++) {
      int core = contestant.place(0, 1); // all take the same time
      chains.add(new Chain(a, new Link(b, contestant.newColor(core))));
    }
  }

  @Override
  void begin() {
    for (Chain chain : chains) {
      contestant.moveTo(chain.link.color, 0);
      contestant.register(chain.link.color, chain);
    }
  }

  /** Event A. */
  private final class Chain extends Job {
    final Link link;

    Chain(Handler<Job> kind, Link link) {
      super(kind);
      this.link = link;
    }

    @Override
    public void run() {
      Worker worker = contestant.worker();
      Arrays.fill(link.array, worker.result);
      link.at = 0;
      worker.count();
      contestant.register(link.color, link);
    }
  }

  /** Event B, all of a chain. */
  private final class Link extends Job {
    final C color;
    final long[] array = new long[LINKS * PART];
    int at;

    Link(Handler<Job> kind, C color) {
      super(kind);
      this.color = color;
    }

    @Override
    public void run() {
      Worker worker = contestant.worker();
      long sum = worker.result;
      int end = at + PART;
      for (int i = at; i < end; i++) {
        sum += array[i];
      }
      at = end;
      worker.result = sum;
      worker.count();
      if (end < array.length) {
        contestant.register(color, this);
      }
    }
  }
}
