package dev.mely.bench.permission;

import dev.mely.Color;
import dev.mely.Handler;
import dev.mely.Permissions;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;

/** Events with permissions for many colors, one event after the other. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class WideBenchmark extends Crowd {
  /** Events in one invocation. */
  static final int EVENTS = 1_000;

  /** How many colors each event writes. */
  @Param({"1", "2", "10", "100", "1000"})
  public int colors;

  private Permissions all = Permissions.none();

  /** Makes the colors. */
  @Setup(Level.Trial)
  public void make() {
    Color[] made = new Color[colors];
    for (int i = 0; i < colors; i++) {
      made[i] = mely.newColor();
    }
    all = Permissions.write(made);
  }

  /** Each event registers the next one, which waits for its colors. */
  private final class Chain {
    final CountDownLatch over = new CountDownLatch(1);
    int left = EVENTS;

    void run() {
      if (--left > 0) {
        mely.register(all, handler, this);
      } else {
        over.countDown();
      }
    }
  }

  private final Handler<Chain> handler = Handler.of(Chain::run);

  /** With permissions to write all. */
  @Benchmark
  @OperationsPerInvocation(EVENTS)
  public void permissions() throws InterruptedException {
    Chain chain = new Chain();
    mely.register(all, handler, chain);
    chain.over.await();
  }
}
