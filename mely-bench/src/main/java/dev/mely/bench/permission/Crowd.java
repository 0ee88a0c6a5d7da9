package dev.mely.bench.permission;

import dev.mely.Mely;
import dev.mely.topology.AllowedCpus;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ForkJoinPool;

/**
 * What all benchmarks of this package share: the runtime, a pool of as many threads, and clients
 * that begin their next step when their last one has ended.
 */
final class Crowd implements AutoCloseable {
  /** Clients at a time. */
  static final int CLIENTS = 64;

  /** Steps that each of them makes in one invocation. */
  static final int STEPS = 200;

  /** Steps in one invocation. */
  static final int ALL = CLIENTS * STEPS;

  final int cores = AllowedCpus.system().recommendedWorkers();
  final Mely mely = Mely.builder().cores(cores).pinned(true).build();
  final ForkJoinPool pool =
      new ForkJoinPool(cores, ForkJoinPool.defaultForkJoinWorkerThreadFactory, null, true);

  /** What a client does, beside the benchmark's own rules. */
  abstract static class Client {
    private final CountDownLatch over;
    private int left = STEPS;

    /** A number that looks random; the same in each run. */
    private int state;

    Client(int number, CountDownLatch over) {
      this.state = number * 0x9E3779B9 + 1;
      this.over = over;
    }

    int random(int bound) {
      state ^= state << 13;
      state ^= state >>> 17;
      state ^= state << 5;
      return (state >>> 1) % bound;
    }

    /** Begins a step; whoever has done it calls {@link #done}. */
    abstract void begin();

    final void done() {
      if (--left > 0) {
        begin();
      } else {
        over.countDown();
      }
    }
  }

  /** Makes a client. */
  interface Maker {
    Client make(int number, CountDownLatch over);
  }

  void run(Maker maker) throws InterruptedException {
    CountDownLatch over = new CountDownLatch(CLIENTS);
    for (int i = 0; i < CLIENTS; i++) {
      maker.make(i, over).begin();
    }
    over.await();
  }

  @Override
  public void close() {
    mely.close();
    pool.shutdown();
  }
}
