package dev.mely;

import dev.mely.spi.Poller;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A whole runtime for Lincheck, of one core: the caller of {@link #work} is its worker, and its
 * poller is the scenario's. For scenarios of other packages than this.
 */
public final class MonitorRuntime {
  /** Steps, more than two events take. */
  private static final int WHILE = 50;

  private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
  private final MonitorHost host;
  private final Mely mely;
  private final Scheduler scheduler;

  /**
   * @param tick nanoseconds that pass with each look at the clock; 0: it stands still
   * @param maxPending how many events may be pending; 0: any number
   * @param poller of the one core
   */
  public MonitorRuntime(long tick, int maxPending, Poller poller) {
    SettingsBuilder settings = new SettingsBuilder();
    settings.policy = StealPolicy.OFF;
    settings.maxPending = maxPending;
    settings.errors = (color, event, error) -> failed(error);
    host = new MonitorHost(1, tick);
    mely = new Mely(host, settings.build(), core -> poller, new int[1]);
    scheduler = mely.scheduler();
  }

  public Mely mely() {
    return mely;
  }

  /** The worker, to its end. */
  public void work() {
    host.enter(0);
    Worker worker = host.worker(0);
    while (worker.step() != WorkerState.EXIT) {
      // Everything happens in step.
    }
  }

  /** The worker, for as long as there can be anything to do; the poller must not wait. */
  public void workAWhile() {
    host.enter(0);
    Worker worker = host.worker(0);
    for (int i = 0; i < WHILE && worker.state() != WorkerState.EXIT; i++) {
      worker.step();
    }
  }

  /** The worker leaves, without having waited for what is pending. */
  public void end() {
    scheduler.setPhase(Scheduler.CLOSED);
    scheduler.core(0).poller.wakeup();
  }

  private void failed(Throwable error) {
    failure.set(error);
    end();
  }

  /** What a handler has thrown, or null. */
  public @Nullable Throwable failure() {
    return failure.get();
  }
}
