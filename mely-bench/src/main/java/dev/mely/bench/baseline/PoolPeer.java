package dev.mely.bench.baseline;

import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinWorkerThread;
import java.util.concurrent.TimeUnit;

/**
 * On a {@link ForkJoinPool} with the crew's threads: FIFO, one worker per core.
 *
 * @param <C> type of a color
 */
abstract class PoolPeer<C> extends Peer<C> {
  private static final long CLOSE_SECONDS = 10;

  final ForkJoinPool pool;

  PoolPeer(int cores, boolean pinned) {
    super(cores, pinned);
    pool =
        new ForkJoinPool(
            cores,
            p -> new PoolThread(p, crew),
            null,
            true, // FIFO: events are not a stack
            cores,
            cores,
            1,
            null,
            1,
            TimeUnit.HOURS);
  }

  /** The pool counts tasks taken from another queue, including submissions from outside. */
  @Override
  public final Figures figures() {
    return new Figures(pool.getStealCount(), 0, 0, 0, 0, 0, 0, 0, crew.bytes());
  }

  @Override
  public final void close() {
    pool.shutdown();
    try {
      if (!pool.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS)) {
        throw new IllegalStateException("the pool does not end");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static final class PoolThread extends ForkJoinWorkerThread implements Crew.Member {
    private final Crew crew;
    private final Worker worker;

    PoolThread(ForkJoinPool pool, Crew crew) {
      super(pool);
      this.crew = crew;
      this.worker = crew.newWorker();
      crew.watch(this);
    }

    @Override
    public Worker worker() {
      return worker;
    }

    @Override
    protected void onStart() {
      super.onStart();
      crew.pinThisThread(getPoolIndex());
    }
  }
}
