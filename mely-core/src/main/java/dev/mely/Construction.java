package dev.mely;

import dev.mely.spi.Poller;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How a runtime begins: all of it, or nothing. What has been made is closed again if a poller or a
 * thread cannot be made.
 */
final class Construction {
  private Construction() {}

  /** All pollers, or none: those that have been made are closed if one cannot be. */
  static Scheduler newScheduler(Host host, Settings settings, Poller.Factory pollers) {
    List<Poller> made = new ArrayList<>();
    try {
      return new Scheduler(
          host,
          settings,
          core -> {
            Poller poller = pollers.newPoller(core);
            if (poller == null) {
              throw new IllegalStateException("the factory made no poller for core " + core);
            }
            made.add(poller);
            return poller;
          });
    } catch (Throwable t) {
      for (Poller poller : made) {
        try {
          poller.close();
        } catch (Throwable suppressed) {
          t.addSuppressed(suppressed);
        }
      }
      throw t;
    }
  }

  /** All threads, or none: those that run already end if one cannot be made, or started. */
  static void start(
      Scheduler scheduler, Timers timers, @Nullable BlockedHandlers watch, Shutdown ending) {
    int started = 0;
    try {
      List<Thread> threads = new ArrayList<>();
      for (int i = 0; i < scheduler.cores(); i++) {
        Worker worker = new Worker(scheduler, timers, scheduler.core(i));
        threads.add(scheduler.host.newThread(worker, i));
      }
      // Not before all have been made: a worker looks at its neighbors.
      for (Thread thread : threads) {
        thread.start();
        started++;
      }
      if (watch != null) {
        watch.start();
      }
    } catch (Throwable t) {
      ending.abandon(started);
      throw t;
    }
  }
}
