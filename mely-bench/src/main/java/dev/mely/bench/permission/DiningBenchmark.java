package dev.mely.bench.permission;

import dev.mely.Color;
import dev.mely.Handler;
import dev.mely.Permissions;
import dev.mely.bench.baseline.VirtualThreads;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;
import org.openjdk.jmh.infra.Blackhole;

/** Philosophers around one table, each with a fork at either hand that it shares. */
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Fork(3)
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 3, time = 2)
@State(Scope.Benchmark)
public class DiningBenchmark {
  /** What a meal computes: some microsecond. */
  private static final long MEAL = 400;

  private final Crowd crowd = new Crowd();
  private final Color[] colors = new Color[Crowd.CLIENTS];
  private final OrderedLocks locks = new OrderedLocks(Crowd.CLIENTS);
  private final long[] meals = new long[Crowd.CLIENTS * 8];

  /** Lays the table. */
  public DiningBenchmark() {
    for (int i = 0; i < Crowd.CLIENTS; i++) {
      colors[i] = crowd.mely.newColor();
    }
  }

  /** Clears it. */
  @TearDown(Level.Trial)
  public void close() {
    crowd.close();
  }

  /** How many have been eaten. */
  long meals() {
    return Arrays.stream(meals).sum();
  }

  private void eat(int seat) {
    Blackhole.consumeCPU(MEAL);
    meals[seat * 8]++;
  }

  private abstract static class Philosopher extends Crowd.Client {
    final int left;
    final int right;

    Philosopher(int number, CountDownLatch over) {
      super(number, over);
      left = number;
      right = (number + 1) % Crowd.CLIENTS;
    }
  }

  /** Permissions to write both forks. */
  @Benchmark
  @OperationsPerInvocation(Crowd.ALL)
  public void permissions() throws InterruptedException {
    Handler<Philosopher> handler =
        Handler.of(
            philosopher -> {
              eat(philosopher.left);
              philosopher.done();
            });
    crowd.run(
        (number, over) ->
            new Philosopher(number, over) {
              private final Permissions both = Permissions.write(colors[left], colors[right]);

              @Override
              void begin() {
                crowd.mely.register(both, handler, this);
              }
            });
  }

  private final class Diner extends Philosopher {
    private final Executor executor;

    Diner(int number, CountDownLatch over, Executor executor) {
      super(number, over);
      this.executor = executor;
    }

    @Override
    void begin() {
      executor.execute(
          () -> {
            locks.with(left, right, () -> eat(left));
            done();
          });
    }
  }

  /** Both locks, the lower number first, in a pool. */
  @Benchmark
  @OperationsPerInvocation(Crowd.ALL)
  public void orderedLocks() throws InterruptedException {
    crowd.run((number, over) -> new Diner(number, over, crowd.pool));
  }

  /** The same, with a virtual thread for each meal. From JDK 21 on. */
  @Benchmark
  @OperationsPerInvocation(Crowd.ALL)
  public void virtualThreads() throws InterruptedException {
    ThreadFactory threads = VirtualThreads.factory(crowd.cores);
    crowd.run((number, over) -> new Diner(number, over, task -> threads.newThread(task).start()));
  }
}
