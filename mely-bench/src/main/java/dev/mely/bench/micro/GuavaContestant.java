package dev.mely.bench.micro;

import com.google.common.util.concurrent.MoreExecutors;
import dev.mely.bench.Work;
import dev.mely.topology.AllowedCpus;
import dev.mely.topology.Pinner;
import dev.mely.topology.Pinning;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinWorkerThread;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * The nearest thing to colors without Mely: a {@link ForkJoinPool}, first in first out, and one of
 * Guava's sequential executors per color on it. The tasks are reused; the executors stay.
 */
final class GuavaContestant implements Contestant {
  private static final long CLOSE_SECONDS = 10;

  private final Tally tally = new Tally();
  private final Allocations allocations = new Allocations();
  private final Semaphore over = new Semaphore(0);
  private final ForkJoinPool pool;
  private final Task[] tasks;
  private final Referee referee = new Referee();

  GuavaContestant(int cores, boolean pinned, Load load, Body body) {
    AllowedCpus allowed = AllowedCpus.system();
    int[] cpus = allowed.cpus();
    Pinner pinner = pinned && cores <= cpus.length ? Pinning.advised(allowed) : Pinning.none();
    pool =
        new ForkJoinPool(
            cores,
            p -> {
              int slot = tally.newSlot();
              TallyThread thread = new TallyThread(p, slot, pinner, cpus);
              allocations.watch(thread);
              return thread;
            },
            null,
            true, // first in, first out: events are not stacked
            cores,
            cores,
            1,
            null,
            1,
            TimeUnit.HOURS);
    Executor[] colors = new Executor[load.colors()];
    for (int i = 0; i < colors.length; i++) {
      colors[i] = MoreExecutors.newSequentialExecutor(pool);
    }
    tasks = new Task[load.events()];
    for (int i = 0; i < tasks.length; i++) {
      int iterations = Work.iterations(Work.nanos(load.cycles(i)));
      tasks[i] = new Task(i, iterations, colors[load.color(i)], body);
    }
  }

  @Override
  public void play(int rounds) {
    referee.left = rounds;
    pool.execute(referee); // publishes the plain field above
    over.acquireUninterruptibly();
  }

  /** The pool counts tasks taken from another queue, the caller's own registrations included. */
  @Override
  public Figures figures() {
    return new Figures(tally.sum(), pool.getStealCount(), 0, 0, 0, 0, 0, allocations.bytes());
  }

  @Override
  public void close() {
    pool.shutdown();
    try {
      if (!pool.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS)) {
        throw new IllegalStateException("the pool does not end");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** As Mely's workers: knows its slot and the last event's result, and pins itself. */
  private static final class TallyThread extends ForkJoinWorkerThread {
    final int slot;
    long result;
    private final Pinner pinner;
    private final int[] cpus;

    TallyThread(ForkJoinPool pool, int slot, Pinner pinner, int[] cpus) {
      super(pool);
      this.slot = slot;
      this.pinner = pinner;
      this.cpus = cpus;
    }

    @Override
    protected void onStart() {
      super.onStart();
      pinner.pin(cpus[getPoolIndex() % cpus.length]);
    }
  }

  /** An event of the load. */
  private final class Task implements Runnable {
    final int index;
    final int iterations;
    final Executor color;
    final Body body;

    Task(int index, int iterations, Executor color, Body body) {
      this.index = index;
      this.iterations = iterations;
      this.color = color;
      this.body = body;
    }

    @Override
    public void run() {
      TallyThread worker = (TallyThread) Thread.currentThread();
      worker.result = body.run(index, iterations, worker.result);
      tally.count(worker.slot);
    }
  }

  /** Registers the rounds. Its fields belong to whichever worker is running it. */
  private final class Referee implements Runnable {
    private int left;
    private long target;

    @Override
    public void run() {
      if (tally.sum() < target) {
        pool.execute(this);
      } else if (left == 0) {
        over.release();
      } else {
        left--;
        target += tasks.length;
        begin();
        pool.execute(this);
      }
    }

    private void begin() {
      for (Task task : tasks) {
        task.color.execute(task);
      }
    }
  }
}
