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
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;
import org.openjdk.jmh.infra.Blackhole;

/** Transfers between two accounts: an event over two colors, two locks in order, a saga. */
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Fork(3)
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 3, time = 2)
@State(Scope.Benchmark)
public class TransferBenchmark {
  /** How many accounts there are: few are asked for by several clients at once. */
  @Param({"20", "1000"})
  public int accounts;

  /** What a transfer computes, in units of JMH; some 400 are a microsecond. */
  @Param({"0", "400"})
  public long work;

  private final Crowd crowd = new Crowd();
  private long[] balances = {};
  private Color[] colors = {};
  private OrderedLocks locks = new OrderedLocks(0);
  private @Nullable Bank bank;

  /** Opens the accounts. */
  @Setup(Level.Trial)
  public void open() {
    balances = new long[accounts * 8];
    colors = new Color[accounts];
    locks = new OrderedLocks(accounts);
    for (int i = 0; i < accounts; i++) {
      colors[i] = crowd.mely.newColor();
    }
  }

  /** Closes them. */
  @TearDown(Level.Trial)
  public void close() {
    crowd.close();
    if (bank != null) {
      bank.close();
    }
  }

  /** All balances together: nothing is lost. */
  long sum() {
    return Arrays.stream(balances).sum();
  }

  private void transfer(int from, int to) {
    Blackhole.consumeCPU(work);
    balances[from * 8]--;
    balances[to * 8]++;
  }

  private abstract class Teller extends Crowd.Client {
    int from;
    int to;

    Teller(int number, CountDownLatch over) {
      super(number, over);
    }

    void draw() {
      from = random(accounts);
      to = (from + 1 + random(accounts - 1)) % accounts;
    }
  }

  /** Permissions to write both. */
  @Benchmark
  @OperationsPerInvocation(Crowd.ALL)
  public void permissions() throws InterruptedException {
    Handler<Teller> handler =
        Handler.of(
            teller -> {
              transfer(teller.from, teller.to);
              teller.done();
            });
    crowd.run(
        (number, over) ->
            new Teller(number, over) {
              @Override
              void begin() {
                draw();
                crowd.mely.register(Permissions.write(colors[from], colors[to]), handler, this);
              }
            });
  }

  private final class Locking extends Teller {
    private final Executor executor;

    Locking(int number, CountDownLatch over, Executor executor) {
      super(number, over);
      this.executor = executor;
    }

    @Override
    void begin() {
      draw();
      executor.execute(
          () -> {
            locks.with(from, to, () -> transfer(from, to));
            done();
          });
    }
  }

  /** Both locks, the lower number first, in a pool. */
  @Benchmark
  @OperationsPerInvocation(Crowd.ALL)
  public void orderedLocks() throws InterruptedException {
    crowd.run((number, over) -> new Locking(number, over, crowd.pool));
  }

  /** The same, with a virtual thread for each transfer. From JDK 21 on. */
  @Benchmark
  @OperationsPerInvocation(Crowd.ALL)
  public void virtualThreads() throws InterruptedException {
    ThreadFactory threads = VirtualThreads.factory(crowd.cores);
    crowd.run((number, over) -> new Locking(number, over, task -> threads.newThread(task).start()));
  }

  /** Actors, and a saga for each transfer: there are moments at which the money is nowhere. */
  @Benchmark
  @OperationsPerInvocation(Crowd.ALL)
  public void pekkoSaga() throws InterruptedException {
    Bank bank = actors();
    crowd.run(
        (number, over) ->
            new Teller(number, over) {
              @Override
              void begin() {
                draw();
                bank.withdraw(from, number, () -> bank.deposit(to, number, this::done));
              }
            });
  }

  private Bank actors() {
    if (bank == null) {
      bank = new Bank(crowd.cores, accounts, work);
    }
    return bank;
  }
}
