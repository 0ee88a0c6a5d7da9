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
 * A few threads that wait for the disk so that no event loop does, as in the AMPED servers to which
 * the libasync-smp paper compares itself. Thread-safe.
 *
 * <p>Jobs wait in a queue with a bound. A job that runs for longer than the patience is taken for
 * lost: it is told so, which answers its client, and another thread takes the place of its own. It
 * may come back after all (a slow network mount), or never (the open of a pipe that nobody writes
 * to). After {@value #MAX_LOST} lost threads there are no more replacements, and when none is left
 * that works, every job is refused. All threads are daemons, so none keeps the process alive.
 */
final class DiskThreads implements AutoCloseable {
  /** So many threads may be lost before they are no longer replaced. */
  static final int MAX_LOST = 64;

  private static final Logger LOG = LoggerFactory.getLogger(DiskThreads.class);

  /** Work for one of the threads. */
  interface Job extends Runnable {
    /**
     * Called by another thread while {@link #run} takes longer than it may, once; or after it has
     * thrown something, or will never run. If this throws something, it is called again later.
     *
     * @param failed whether it has thrown something
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
   * @param threads how many work
   * @param waiting how many jobs may wait
   * @param patienceMillis how long a job may run
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
    // All threads are there from the start: a lack of memory shows now, not at a request.
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
      throw new RejectedExecutionException("every thread waits for the disk for good");
    }
    pool.execute(new Turn(job));
  }

  /** How many threads do not come back from the disk. */
  synchronized int lost() {
    return lost;
  }

  private synchronized boolean isLost() {
    return lost >= threads + MAX_LOST;
  }

  /** Tells the jobs that take too long, and makes up for their threads. */
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
        running.add(turn); // told at once, or at the next look
        tell(turn);
      }
    } catch (Throwable e) {
      failed("cannot look after the threads now", e); // but goes on: nobody else does
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

  /** Says so, if there is the memory for that. */
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
      // This order: the size that is wanted may never be above the greatest.
      pool.setMaximumPoolSize(size());
      pool.setCorePoolSize(size());
    }
  }

  private synchronized void end(Turn turn) {
    turn.ended = true;
    if (turn.lost) {
      lost--;
      // In the other order here; the greatest may not have been raised yet.
      pool.setCorePoolSize(Math.min(size(), pool.getMaximumPoolSize()));
      pool.setMaximumPoolSize(Math.max(size(), pool.getCorePoolSize()));
    }
  }

  /** Those that work and those that are made up for; guarded by this. */
  private int size() {
    return threads + Math.min(lost, MAX_LOST);
  }

  /** Runs what waits no more, and leaves what runs to itself. */
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

    /** Whether the job waits to hear that it takes too long, or has failed. */
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
        // Whatever it was: somebody waits for an answer, and this thread goes on.
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
