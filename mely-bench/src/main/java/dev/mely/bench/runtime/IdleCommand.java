package dev.mely.bench.runtime;

import dev.mely.Handler;
import dev.mely.Mely;
import dev.mely.bench.Environment;
import dev.mely.bench.OtherProcesses;
import dev.mely.bench.Score;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Measures the cost of an idle runtime. */
@Command(
    name = "idle",
    description =
        "The CPU time of this process while all workers are parked and there is no timer.")
public final class IdleCommand extends RuntimeCommand {
  private static final int EVENTS = 100_000;
  private static final long SETTLE_MILLIS = 2_000;

  @Option(names = "--seconds", description = "How long to measure (default: ${DEFAULT-VALUE}).")
  private double seconds = 30;

  @Override
  public Integer call() throws InterruptedException {
    long nanos = nanos("--seconds", seconds);
    try (Mely mely = Mely.builder().pinned(true).build()) {
      Environment environment = Environment.of(mely.inspect().cores(), true, "");
      System.out.print(environment);
      workFirst(mely);
      Thread.sleep(SETTLE_MILLIS);
      long parks = mely.inspect().statistics().total().parks();
      long cpu = OtherProcesses.processNanos();
      long start = System.nanoTime();
      Thread.sleep(nanos / 1_000_000);
      double share = (OtherProcesses.processNanos() - cpu) * 100.0 / (System.nanoTime() - start);
      long wakeUps = mely.inspect().statistics().total().parks() - parks;
      System.out.printf(
          Locale.ROOT,
          "idle for %.0f s: %.2f %% of one CPU, the whole process; %d wake-ups of workers%n",
          nanos / 1e9,
          share,
          wakeUps);
      Map<String, Double> sample = new LinkedHashMap<>();
      sample.put("cpuPercent", share);
      sample.put("wakeUps", (double) wakeUps);
      sample.put("seconds", nanos / 1e9);
      leave(new Score("cpuPercent", "% of one CPU", 1, 2, false), environment, sample);
    }
    return 0;
  }

  /** Runs events first, so that all code is loaded and compiled. */
  private static void workFirst(Mely mely) throws InterruptedException {
    CountDownLatch done = new CountDownLatch(EVENTS);
    Handler<Integer> count = Handler.of(i -> done.countDown());
    for (int i = 0; i < EVENTS; i++) {
      mely.register(mely.color(i % 1_000), count, i);
    }
    done.await();
  }
}
