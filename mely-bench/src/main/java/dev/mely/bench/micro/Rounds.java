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
 * <p>It takes turns between two colors, so that every other event of its core comes before its next
 * turn: under one color it would run a batch of turns in a row. After many turns in vain it has
 * itself registered from outside: a pool whose threads run what they have forked first, one of them
 * this very event, while the others have missed the signal for what came from outside, would go on
 * like that forever.
 *
 * @param <C> what stands for a color
 */
abstract class Rounds<C> implements Scenario {
  private static final Duration REFEREE_COST = Duration.ofNanos(100);

  /** So many turns in vain take some milliseconds. */
  private static final int MAX_TURNS = 50_000;

  final Contestant<C> contestant;
  private final int events;
  private final C oddColor;
  private final C evenColor;
  private final Referee referee;

  /** Tells the player that the rounds are over, or that the referee shall be registered anew. */
  private final Semaphore whistle = new Semaphore(0);

  private long target;

  /**
   * @param events how many events of a round are counted
   */
  Rounds(Contestant<C> contestant, int events) {
    this.contestant = contestant;
    this.events = events;
    this.oddColor = contestant.newPinnedColor(0);
    this.evenColor = contestant.newPinnedColor(0);
    this.referee = new Referee();
  }

  /** Registers the first events of a round; in an event on core 0. */
  abstract void begin();

  @Override
  public final long play(int rounds) {
    referee.left = rounds;
    referee.over = false;
    do {
      referee.queue(); // publishes the plain fields above
      Scenario.await(whistle);
    } while (!referee.over);
    return (long) rounds * events;
  }

  private final class Referee extends Job {
    private int left;
    private int turns;
    private boolean odd;
    private boolean over;

    Referee() {
      super(contestant.kind(REFEREE_COST, 1));
    }

    void queue() {
      odd = !odd;
      contestant.register(odd ? oddColor : evenColor, this);
    }

    @Override
    public void run() {
      if (contestant.counted() < target) {
        if (++turns % MAX_TURNS != 0) {
          queue();
        } else {
          whistle.release();
        }
      } else if (left == 0) {
        over = true;
        whistle.release();
      } else {
        left--;
        target += events;
        begin();
        queue();
      }
    }
  }
}
