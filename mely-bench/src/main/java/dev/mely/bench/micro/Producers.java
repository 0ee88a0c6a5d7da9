package dev.mely.bench.micro;

import dev.mely.Handler;
import dev.mely.bench.baseline.Contestant;
import dev.mely.bench.baseline.Job;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Threads outside the runtime register events as fast as they are run: each has a number of events,
 * and registers an event again after it has run. An event does nothing.
 *
 * @param <C> type of a color
 */
final class Producers<C> implements Scenario {
  /** Registrations per round, by all producers together. */
  private static final int REGISTRATIONS = 64_000;

  /** Maximum number of a producer's pending events. */
  private static final int WINDOW = 256;

  /** Colors, which all producers use in turn. */
  private static final int COLORS = 64;

  private static final int PATIENCE = 200;
  private static final Duration COST = Duration.ofNanos(20);

  private final Contestant<C> contestant;
  private final int count;
  private final Handler<Job> kind;
  private final List<C> colors = new ArrayList<>();

  Producers(Contestant<C> contestant, int count) {
    this.contestant = contestant;
    this.count = count;
    this.kind = contestant.kind(COST, 1);
    for (int i = 0; i < COLORS; i++) {
      colors.add(contestant.newColor(i % contestant.cores()));
    }
  }

  @Override
  public long play(int rounds) {
    int each = rounds * REGISTRATIONS / count;
    CountDownLatch over = new CountDownLatch(count);
    for (int i = 0; i < count; i++) {
      int from = i;
      Thread producer =
          new Thread(
              () -> {
                produce(each, from);
                over.countDown();
              },
              "producer");
      producer.setDaemon(true);
      producer.start();
    }
    try {
      over.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return (long) each * count;
  }

  private void produce(int registrations, int from) {
    List<Ping> window = new ArrayList<>();
    for (int i = 0; i < WINDOW; i++) {
      window.add(new Ping(kind));
    }
    for (int i = 0; i < registrations; i++) {
      Ping ping = window.get(i % WINDOW);
      ping.await();
      ping.pending.setPlain(true); // published by the registration
      contestant.register(colors.get((from + i) % COLORS), ping);
    }
    window.forEach(Ping::await);
  }

  private static final class Ping extends Job {
    final AtomicBoolean pending = new AtomicBoolean();

    Ping(Handler<Job> kind) {
      super(kind);
    }

    @Override
    public void run() {
      pending.setRelease(false);
    }

    @SuppressWarnings("ThreadPriorityCheck") // yield: the worker may need this very CPU
    void await() {
      for (int i = 1; pending.getAcquire(); i++) {
        if (i % PATIENCE == 0) {
          Thread.yield();
        } else {
          Thread.onSpinWait();
        }
      }
    }
  }
}
