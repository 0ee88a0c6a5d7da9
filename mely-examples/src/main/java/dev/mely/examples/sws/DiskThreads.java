package dev.mely.examples.sws;

import dev.mely.pinning.Unpinned;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Threads that wait for the disk so that no event loop has to, as in the AMPED servers that the
 * libasync-smp paper compares with. Thread-safe.
 *
 * <p>Jobs wait in a bounded queue. The thread of a job that exceeds its timeout counts as lost: the
 * job is told, and answers its client, and a new thread replaces the lost one. A lost thread may
 * return later (a slow network mount) or never (the open of a pipe without a writer). After {@value
 * #MAX_LOST} lost threads there are no more replacements, and when no working thread is left, every
 * job is refused. All threads are daemons, so they do not keep the process alive.
 */
final class DiskThreads implements AutoCloseable {
  /** After this many lost threads, none is replaced. */
  static final int MAX_LOST = 64;

  private static final Logger LOG = LoggerFactory.getLogger(DiskThreads.class);

  /** Work for one of the threads. */
  interface Job extends Runnable {
    /**
     * Called once: by another thread while {@link #run} exceeds its timeout, or after {@link #run}
     * has thrown, or if it will never run. Called again later if this throws.
     *
     * @param failed whether {@link #run} has thrown
     */
    void overdue(boolean failed);
  }

  private final String name;
  private final int threads;
  private final long patienceNanos;
  private final ThreadPoolExecutor pool;
  private final ScheduledExecutorService watch;
  private final Set<Turn> running = ConcurrentHashMap.newKeySet();
  private final SparseLog log = new SparseLog(LOG);

  /** Guarded by this. */
  private int lost;

  /**
   * Starts the threads.
   *
   * @param name of the threads
   * @param threads how many
   * @param waiting how many jobs may wait
   * @param patienceMillis the timeout of a job's run
   */
  DiskThreads(String name, int threads, int waiting, long patienceMillis) {
    this.name = name;
    this.threads = threads;
    this.patienceNanos = TimeUnit.MILLISECONDS.toNanos(patienceMillis);
    this.pool =
        new ThreadPoolExecutor(
            threads,
            threads,
            1,
            TimeUnit.MINUTES,
            new LinkedBlockingQueue<>(waiting),
            daemons(name));
    this.watch = Executors.newSingleThreadScheduledExecutor(daemons(name + "-watch"));
    long period = Math.max(1, patienceMillis / 4);
    // Starts all threads now, so that a lack of memory shows here, not at a request.
    pool.prestartAllCoreThreads();
    Object unused = watch.scheduleWithFixedDelay(this::look, period, period, TimeUnit.MILLISECONDS);
  }

  private static ThreadFactory daemons(String name) {
    AtomicInteger made = new AtomicInteger();
    return task -> {
      // A lost thread's successor is started by an event loop, which may be pinned.
      Thread thread = new Thread(() -> Unpinned.run(task), name + "-" + made.incrementAndGet());
      thread.setDaemon(true);
      return thread;
    };
  }

  /**
   * Runs a job soon.
   *
   * @throws RejectedExecutionException if too many wait, all threads are lost, or this is closed
   */
  void execute(Job job) {
    if (isLost()) {
      throw new RejectedExecutionException("all threads hang in disk accesses");
    }
    pool.execute(new Turn(job));
  }

  /** How many threads are lost. */
  synchronized int lost() {
    return lost;
  }

  private synchronized boolean isLost() {
    return lost >= threads + MAX_LOST;
  }

  /** Tells the jobs that exceed their timeout, and replaces their threads. */
  private void look() {
    try {
      long now = System.nanoTime();
      for (Turn turn : running) {
        if (now - turn.since > patienceNanos) {
          lose(turn);
        }
        if (turn.mustBeTold) {
          tell(turn);
        }
      }
      running.removeIf(turn -> turn.ended && !turn.mustBeTold);
      while (isLost() && pool.getQueue().poll() instanceof Turn turn) {
        turn.mustBeTold = true;
        turn.ended = true;
        running.add(turn); // so that the next look tells it if this one cannot
        tell(turn);
      }
    } catch (Throwable e) {
      failed("could not look for lost threads", e); // and goes on: no other thread looks
    }
  }

  private static void tell(Turn turn) {
    try {
      turn.job.overdue(turn.failed);
      turn.mustBeTold = false;
    } catch (Throwable e) {
      failed("a job could not be told that it has failed", e);
    }
  }

  /** Logs, if there is enough memory for that. */
  private static void failed(String what, Throwable why) {
    try {
      LOG.error(what, why);
    } catch (Throwable noMemory) {
      return;
    }
  }

  private void lose(Turn turn) {
    synchronized (this) {
      if (turn.lost || turn.ended) {
        return;
      }
      turn.lost = true;
      turn.mustBeTold = true;
      lost++;
    }
    log.warn("{}: the disk has not answered for {} ms", name, patienceNanos / 1_000_000);
    tell(turn);
    synchronized (this) {
      // In this order: the core size must never exceed the maximum.
      pool.setMaximumPoolSize(size());
      pool.setCorePoolSize(size());
    }
  }

  private synchronized void end(Turn turn) {
    turn.ended = true;
    if (turn.lost) {
      lost--;
      // Here in the other order; the maximum may not have been raised yet.
      pool.setCorePoolSize(Math.min(size(), pool.getMaximumPoolSize()));
      pool.setMaximumPoolSize(Math.max(size(), pool.getCorePoolSize()));
    }
  }

  /** Working threads and replaced lost ones; guarded by this. */
  private int size() {
    return threads + Math.min(lost, MAX_LOST);
  }

  /** Drops waiting jobs, and leaves running ones alone. */
  @Override
  public void close() {
    watch.shutdownNow();
    pool.shutdownNow();
  }

  /** One run of a job. */
  private final class Turn implements Runnable {
    private final Job job;
    private long since;

    /** Written under the lock of the enclosing object. */
    private boolean lost;

    private volatile boolean ended;
    private volatile boolean failed;

    /** Whether the job must still be told that it is too slow or has failed. */
    private volatile boolean mustBeTold;

    Turn(Job job) {
      this.job = job;
    }

    @Override
    public void run() {
      since = System.nanoTime();
      running.add(this); // publishes the time
      try {
        job.run();
      } catch (Throwable e) {
        // Any failure: a client waits for the answer, and this thread goes on.
        failed("a job failed", e);
        failed = true;
        mustBeTold = true;
        tell(this);
      } finally {
        end(this);
        if (!mustBeTold) {
          running.remove(this);
        }
      }
    }
  }
}
