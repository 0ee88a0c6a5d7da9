package dev.mely.bench.permission;

import dev.mely.Color;
import dev.mely.Handler;
import dev.mely.Permissions;
import dev.mely.bench.baseline.VirtualThreads;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadFactory;
import java.util.stream.IntStream;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OperationsPerInvocation;

/** Steps that need two of many objects: an event over two colors, or two locks in order. */
public abstract class PairBenchmark extends Crowd {
  private Color[] colors = {};
  private OrderedLocks locks = new OrderedLocks(0);

  /** Makes {@code count} objects, of which each step needs two. */
  final void make(int count) {
    colors = IntStream.range(0, count).mapToObj(i -> mely.newColor()).toArray(Color[]::new);
    locks = new OrderedLocks(count);
  }

  /** Chooses the two that a client needs next. */
  abstract void choose(Pair pair);

  /** Runs a step's work with two objects. */
  abstract void with(int a, int b);

  /** Permissions to write both objects of the next step. */
  Permissions permissions(Pair pair) {
    return write(pair.a, pair.b);
  }

  final Permissions write(int a, int b) {
    return Permissions.write(colors[a], colors[b]);
  }

  /** A client, and the objects of its next step. */
  final class Pair extends Client {
    final int number;
    private final Step step;
    int a;
    int b;

    Pair(int number, CountDownLatch over, Step step) {
      super(number, over);
      this.number = number;
      this.step = step;
    }

    @Override
    void begin() {
      choose(this);
      step.begin(this);
    }
  }

  /** Executes a step. */
  interface Step {
    void begin(PairBenchmark.Pair pair);
  }

  final void run(Step step) throws InterruptedException {
    run((number, over) -> new Pair(number, over, step));
  }

  /** With permissions to write both. */
  @Benchmark
  @OperationsPerInvocation(ALL)
  public void permissions() throws InterruptedException {
    Handler<Pair> handler =
        Handler.of(
            pair -> {
              with(pair.a, pair.b);
              pair.done();
            });
    run(pair -> mely.register(permissions(pair), handler, pair));
  }

  private void lock(Executor executor) throws InterruptedException {
    run(
        pair ->
            executor.execute(
                () -> {
                  locks.with(pair.a, pair.b, () -> with(pair.a, pair.b));
                  pair.done();
                }));
  }

  /** With both locks, the lower number first, in a pool. */
  @Benchmark
  @OperationsPerInvocation(ALL)
  public void orderedLocks() throws InterruptedException {
    lock(pool);
  }

  /** With both locks, and a virtual thread per step. From JDK 21 on. */
  @Benchmark
  @OperationsPerInvocation(ALL)
  public void virtualThreads() throws InterruptedException {
    ThreadFactory threads = VirtualThreads.factory(cores);
    lock(task -> threads.newThread(task).start());
  }
}
