package dev.mely.nio;

import dev.mely.pinning.Unpinned;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A few threads for what the platform offers as blocking calls only, with a bounded queue: the
 * helpers of the AMPED architecture, to which the libasync-smp paper compares itself.
 *
 * <p>All threads start at once, and are not pinned, even if a pinned handler makes them.
 */
final class Helpers {
  static final int THREADS = 4;
  static final int WAITING = 1024;

  private final String name;
  private final ThreadPoolExecutor pool;

  /**
   * @param name of the threads, which get a number each
   */
  Helpers(String name) {
    this.name = name;
    AtomicInteger made = new AtomicInteger();
    pool =
        new ThreadPoolExecutor(
            THREADS,
            THREADS,
            0,
            TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(WAITING),
            task -> {
              Thread thread =
                  new Thread(() -> Unpinned.run(task), name + "-" + made.getAndIncrement());
              thread.setDaemon(true);
              return thread;
            });
  }

  /** Starts the threads. If one cannot be started, close this. */
  void start() {
    pool.prestartAllCoreThreads();
  }

  /** Makes the call, and ends the operation with what comes of it. */
  <T> void start(StartedOperation<T> operation, Callable<? extends T> call) {
    try {
      pool.execute(new Call<>(operation, call));
    } catch (RejectedExecutionException e) {
      operation.fail(new IOException("too many blocking calls: " + WAITING + " are waiting", e));
    }
  }

  /** Drops what waits; each thread ends after its present call. */
  void close() {
    // No interrupts: they would close the files that are being read.
    pool.shutdown();
    List<Runnable> dropped = new ArrayList<>();
    pool.getQueue().drainTo(dropped);
    long wanted =
        dropped.stream().filter(task -> !((Call<?>) task).operation.isCancelled()).count();
    if (wanted > 0) {
      Log.warn(wanted + " calls that had not begun are dropped: " + name, null);
    }
  }

  /** One call, and the operation that it ends. */
  private record Call<T>(StartedOperation<T> operation, Callable<? extends T> call)
      implements Runnable {
    @Override
    public void run() {
      if (operation.isCancelled()) {
        return;
      }
      T result;
      try {
        result = call.call();
      } catch (Throwable t) {
        operation.fail(t); // whose get() throws it again, errors included
        return;
      }
      operation.complete(result);
    }
  }
}
