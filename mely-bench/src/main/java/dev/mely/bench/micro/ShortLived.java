package dev.mely.bench.micro;

import dev.mely.Handler;
import dev.mely.bench.baseline.Contestant;
import dev.mely.bench.baseline.Job;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Short-lived connections: each has a color of its own for a few events, and is then replaced by
 * another one. The paper's Mely loses 7 to 20 percent against libasync-smp here (section V-C).
 *
 * @param <C> type of a color
 */
final class ShortLived<C> implements Scenario {
  /** Number of concurrent connections. */
  private static final int CLIENTS = 64;

  /** Connections per client and round, one after the other. */
  private static final int CONNECTIONS = 200;

  /** Read, parse, write, close. */
  private static final int EVENTS = 4;

  private static final Duration COST = Duration.ofNanos(20);

  private final Contestant<C> contestant;
  private final List<Client> clients = new ArrayList<>();
  private final AtomicInteger busy = new AtomicInteger();
  private final Semaphore over = new Semaphore(0);

  ShortLived(Contestant<C> contestant) {
    this.contestant = contestant;
    Handler<Job> kind = contestant.kind(COST, 1);
    for (int i = 0; i < CLIENTS; i++) {
      clients.add(new Client(kind, i % contestant.cores()));
    }
  }

  @Override
  public long play(int rounds) {
    busy.set(CLIENTS);
    for (Client client : clients) {
      client.begin(rounds * CONNECTIONS);
    }
    Scenario.await(over);
    return (long) rounds * CLIENTS * CONNECTIONS * EVENTS;
  }

  private final class Client extends Job {
    private final int core;
    private C color;
    private int connections;
    private int events;

    Client(Handler<Job> kind, int core) {
      super(kind);
      this.core = core;
      this.color = contestant.newColor(core);
    }

    void begin(int count) {
      connections = count;
      events = EVENTS;
      contestant.register(color, this);
    }

    @Override
    public void run() {
      if (--events > 0) {
        contestant.register(color, this);
        return;
      }
      contestant.retire(color);
      color = contestant.newColor(core);
      events = EVENTS;
      if (--connections > 0) {
        contestant.register(color, this);
      } else if (busy.decrementAndGet() == 0) {
        over.release();
      }
    }
  }
}
