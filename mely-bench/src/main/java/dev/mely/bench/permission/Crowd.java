package dev.mely.bench.permission;

import dev.mely.Mely;
import dev.mely.topology.AllowedCpus;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Base class of this package's benchmarks: the runtime, a pool with the same number of threads, and
 * closed-loop clients, which start their next step when the last one has ended.
 */
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Fork(3)
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 3, time = 2)
@State(Scope.Benchmark)
public abstract class Crowd {
  /** Number of clients. */
  static final int CLIENTS = 64;

  /** Steps per client in one invocation. */
  static final int STEPS = 200;

  /** Steps in one invocation. */
  static final int ALL = CLIENTS * STEPS;

  final int cores = AllowedCpus.system().recommendedWorkers();
  final Mely mely = Mely.builder().cores(cores).pinned(true).build();
  final ForkJoinPool pool =
      new ForkJoinPool(cores, ForkJoinPool.defaultForkJoinWorkerThreadFactory, null, true);

  /** The common part of a client. */
  abstract static class Client {
    private final CountDownLatch over;
    private int left = STEPS;

    /** State of a pseudo-random generator; the same in each run. */
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

    /** Starts a step, at whose end {@link #done} is called. */
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

  /** Stops the runtime and the pool. */
  @TearDown(Level.Trial)
  public void close() {
    mely.close();
    pool.shutdown();
  }
}
