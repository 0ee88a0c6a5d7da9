package dev.mely.bench.micro;

import dev.mely.Handler;
import dev.mely.bench.Work;
import dev.mely.bench.baseline.Contestant;
import dev.mely.bench.baseline.Job;
import dev.mely.bench.baseline.Worker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Runners, each an event that registers itself again under the next color of its track, until it
 * has run its number of legs.
 *
 * @param <C> type of a color
 */
final class Relay<C> implements Scenario {
  private static final long MIN_COST_NANOS = 20;

  private final Contestant<C> contestant;
  private final int legs;
  private final int iterations;
  private final Handler<Job> kind;
  private final List<Runner> runners = new ArrayList<>();
  private final AtomicInteger running = new AtomicInteger();
  private final Semaphore over = new Semaphore(0);

  /**
   * @param legs runs of each runner per round
   * @param cycles work per run; 0: none
   */
  Relay(Contestant<C> contestant, int legs, int cycles) {
    this.contestant = contestant;
    this.legs = legs;
    this.iterations = cycles == 0 ? 0 : Work.iterations(Work.nanos(cycles));
    this.kind = contestant.kind(Duration.ofNanos(Math.max(MIN_COST_NANOS, Work.nanos(cycles))), 1);
  }

  /** Adds a runner whose track has one color per given core. */
  Relay<C> add(int... cores) {
    List<C> track = new ArrayList<>();
    for (int core : cores) {
      track.add(contestant.newColor(core));
    }
    runners.add(new Runner(track));
    return this;
  }

  /**
   * Adds {@code count} runners with one color each, in turn on the cores from {@code firstCore} on.
   */
  Relay<C> spread(int count, int firstCore) {
    int cores = contestant.cores();
    int first = Math.min(firstCore, cores - 1);
    for (int i = 0; i < count; i++) {
      add(contestant.place(first + i % (cores - first), 1)); // all take the same time
    }
    return this;
  }

  @Override
  public long play(int rounds) {
    running.set(runners.size());
    for (Runner runner : runners) {
      runner.left = rounds * legs;
      contestant.register(runner.color(), runner);
    }
    Scenario.await(over);
    return (long) rounds * legs * runners.size();
  }

  private final class Runner extends Job {
    private final List<C> track;
    private int at;
    private int left;

    Runner(List<C> track) {
      super(kind);
      this.track = track;
    }

    C color() {
      return track.get(at);
    }

    @Override
    public void run() {
      if (iterations > 0) {
        Worker worker = contestant.worker();
        worker.result = Work.spin(iterations, worker.result);
      }
      if (--left > 0) {
        at = at + 1 == track.size() ? 0 : at + 1;
        contestant.register(color(), this);
      } else if (running.decrementAndGet() == 0) {
        over.release();
      }
    }
  }
}
