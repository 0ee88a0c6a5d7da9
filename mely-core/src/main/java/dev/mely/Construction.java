package dev.mely;

import dev.mely.spi.Poller;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Makes the parts of a runtime: all of them, or none. If a poller or a thread cannot be made, those
 * that have been made are closed.
 */
final class Construction {
  private Construction() {}

  /** The threads of a program that brings no factory: they do not keep the process alive. */
  static ThreadFactory daemonThreads() {
    AtomicInteger made = new AtomicInteger();
    return task -> {
      Thread thread = new Thread(task, "mely-" + made.getAndIncrement());
      thread.setDaemon(true);
      return thread;
    };
  }

  /** Makes the pollers and the scheduler; closes all pollers again if one cannot be made. */
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

  /** Starts all workers; ends those that run already if one cannot be made or started. */
  static void start(
      Scheduler scheduler, Timers timers, @Nullable BlockedHandlers watch, Shutdown ending) {
    int started = 0;
    try {
      List<Thread> threads = new ArrayList<>();
      for (int i = 0; i < scheduler.cores(); i++) {
        Worker worker = new Worker(scheduler, timers, scheduler.core(i));
        threads.add(scheduler.host.newThread(worker, i));
      }
      // Started after all have been made, since a worker reads the fields of other cores.
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
