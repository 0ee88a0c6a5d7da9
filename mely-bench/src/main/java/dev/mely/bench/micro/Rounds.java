package dev.mely.bench.micro;

import dev.mely.bench.baseline.Contestant;
import dev.mely.bench.baseline.Job;
import java.time.Duration;
import java.util.concurrent.Semaphore;

/**
 * Rounds: an event that runs on core 0 registers the events of a round; when all have run, it
 * begins the next.
 *
 * <p>That event, the referee, is the last one in the queue. When its turn comes, the worker has run
 * all that was left to it, and only what others have stolen may still be running. The referee then
 * adds up the workers' counts and queues itself again until they are complete. So the events
 * themselves share nothing with each other.
 *
 * @param <C> what stands for a color
 */
abstract class Rounds<C> implements Scenario {
  private static final Duration REFEREE_COST = Duration.ofNanos(100);

  final Contestant<C> contestant;
  private final int events;
  private final C refereeColor;
  private final Referee referee;
  private final Semaphore over = new Semaphore(0);
  private long target;

  /**
   * @param events how many events of a round are counted
   */
  Rounds(Contestant<C> contestant, int events) {
    this.contestant = contestant;
    this.events = events;
    this.refereeColor = contestant.newPinnedColor(0);
    this.referee = new Referee();
  }

  /** Registers the first events of a round; in an event on core 0. */
  abstract void begin();

  @Override
  public final long play(int rounds) {
    referee.left = rounds;
    contestant.register(refereeColor, referee); // publishes the plain field above
    Scenario.await(over);
    return (long) rounds * events;
  }

  private final class Referee extends Job {
    private int left;

    Referee() {
      super(contestant.kind(REFEREE_COST, 1));
    }

    @Override
    public void run() {
      if (contestant.counted() < target) {
        contestant.register(refereeColor, this);
      } else if (left == 0) {
        over.release();
      } else {
        left--;
        target += events;
        begin();
        contestant.register(refereeColor, this);
      }
    }
  }
}
