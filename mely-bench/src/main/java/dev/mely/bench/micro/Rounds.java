package dev.mely.bench.micro;

import dev.mely.bench.baseline.Contestant;
import dev.mely.bench.baseline.Job;
import java.time.Duration;
import java.util.concurrent.Semaphore;

/**
 * Rounds: an event on core 0 registers the events of a round; when all have run, it starts the next
 * round.
 *
 * <p>That event, the referee, is the last one in the queue. When it runs, the worker has run all
 * other events that were not stolen; only stolen ones may still be running. The referee then sums
 * up the workers' counts, and queues itself again until they are complete. So the events themselves
 * share no data.
 *
 * <p>It alternates between two colors, so that all other events of its core run before its next
 * turn; under one color, it would run a batch of turns in a row. After many turns without success,
 * the player registers it from outside: in a pool whose threads first run the tasks they have
 * forked, a thread could otherwise run only the referee forever, while the other threads have
 * missed the signal for tasks from outside.
 *
 * @param <C> type of a color
 */
abstract class Rounds<C> implements Scenario {
  private static final Duration REFEREE_COST = Duration.ofNanos(100);

  /** Turns without success, which take some milliseconds. */
  private static final int MAX_TURNS = 50_000;

  final Contestant<C> contestant;
  private final int events;
  private final C oddColor;
  private final C evenColor;
  private final Referee referee;

  /** Signals the player that the rounds are over, or that it must register the referee again. */
  private final Semaphore whistle = new Semaphore(0);

  private long target;

  /**
   * @param events number of counted events per round
   */
  Rounds(Contestant<C> contestant, int events) {
    this.contestant = contestant;
    this.events = events;
    this.oddColor = contestant.newPinnedColor(0);
    this.evenColor = contestant.newPinnedColor(0);
    this.referee = new Referee();
  }

  /** Registers the first events of a round. Called by an event on core 0. */
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
