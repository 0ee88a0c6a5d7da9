package dev.mely.bench.runtime;

import dev.mely.Color;
import dev.mely.ErrorHandler;
import dev.mely.Handler;
import dev.mely.Mely;
import dev.mely.bench.Environment;
import dev.mely.bench.Score;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Shows how a sleeping handler delays the other colors of its core. */
@Command(
    name = "blocked",
    description =
        "A handler sleeps and blocks its core. How late do events and timers of 64 other colors"
            + " run, half of them on that core?")
public final class BlockedCommand extends RuntimeCommand {
  private static final int COLORS = 64;
  private static final long GAP_NANOS = 500_000;

  /** The longest recorded delay; longer ones are cut to it. */
  private static final long MAX_NANOS = Duration.ofMinutes(1).toNanos();

  @Option(names = "--rounds", description = "How often to block (default: ${DEFAULT-VALUE}).")
  private int rounds = 5;

  @Option(names = "--cores", description = "Workers (default: ${DEFAULT-VALUE}).")
  private int cores = 2;

  private final AtomicInteger reports = new AtomicInteger();

  @Override
  public Integer call() throws InterruptedException {
    inRange("--rounds", rounds, 1, 1_000);
    inRange("--cores", cores, 2, 1_024);
    Environment environment = Environment.of(cores, true, "");
    System.out.print(environment);
    Histogram late = newHistogram();
    List<Double> worst = new ArrayList<>();
    try (Mely mely = Mely.builder().cores(cores).pinned(true).errorHandler(new Report()).build()) {
      awaitWorkers(mely);
      for (int i = 0; i < rounds; i++) {
        Histogram ofRound = round(mely);
        worst.add(ofRound.getMaxValue() / 1e6);
        late.add(ofRound);
      }
    }
    Map<String, Double> sample = new LinkedHashMap<>();
    sample.put("reports", reports.doubleValue());
    sample.put("events", (double) late.getTotalCount());
    sample.put("lateP50Millis", late.getValueAtPercentile(50) / 1e6);
    sample.put("lateP99Millis", late.getValueAtPercentile(99) / 1e6);
    sample.put("lateMaxMillis", late.getMaxValue() / 1e6);
    sample.put("firstMaxMillis", worst.get(0));
    System.out.printf(
        Locale.ROOT,
        "%d rounds of 2 s, %d reports; %,d events and timers of other colors: late by %.2f ms"
            + " (p50), %.2f ms (p99), %.2f ms (max)%n",
        rounds,
        reports.get(),
        late.getTotalCount(),
        sample.get("lateP50Millis"),
        sample.get("lateP99Millis"),
        sample.get("lateMaxMillis"));
    String all =
        worst.stream()
            .map(millis -> String.format(Locale.ROOT, "%.2f", millis))
            .collect(Collectors.joining(" "));
    System.out.println("The worst of each round, ms: " + all);
    leave(new Score("lateP99Millis", "late p99 ms", 1, 2, false), environment, sample);
    return 0;
  }

  /** Waits until every worker has been started and pinned. */
  private static void awaitWorkers(Mely mely) throws InterruptedException {
    CountDownLatch started = new CountDownLatch(mely.inspect().cores());
    for (int i = 0; i < mely.inspect().cores(); i++) {
      mely.execute(mely.newPinnedColor(i), started::countDown);
    }
    started.await();
  }

  /**
   * A histogram of fixed size: growing uses an exception, the first of which takes 5 ms in the
   * recording worker. The value recorded and reset here loads its classes.
   */
  private static Histogram newHistogram() {
    Histogram made = new ConcurrentHistogram(MAX_NANOS, 3);
    made.recordValue(1);
    made.reset();
    return made;
  }

  private static Histogram round(Mely mely) throws InterruptedException {
    CountDownLatch over = new CountDownLatch(1);
    Histogram late = newHistogram();
    Handler<Long> note =
        Handler.of(
            due -> late.recordValue(Math.min(Math.max(0, System.nanoTime() - due), MAX_NANOS)));
    Handler<String> sleep =
        Handler.of(
            name -> {
              Thread.sleep(2_000);
              over.countDown();
            });
    Color[] colors = new Color[COLORS];
    for (int i = 0; i < COLORS; i++) {
      colors[i] = mely.newColor(i % mely.inspect().cores());
    }
    mely.register(mely.newColor(0), sleep, "blocks core 0");
    int registered = 0;
    for (; over.getCount() > 0; registered++) {
      Color color = colors[registered % COLORS];
      if (registered % 4 == 0) {
        Duration delay = Duration.ofMillis(1);
        mely.schedule(color, note, System.nanoTime() + delay.toNanos(), delay);
      } else {
        mely.register(color, note, System.nanoTime());
      }
      LockSupport.parkNanos(GAP_NANOS);
    }
    while (late.getTotalCount() < registered) {
      LockSupport.parkNanos(GAP_NANOS);
    }
    return late;
  }

  /** Prints the first report, and counts the others. */
  private final class Report implements ErrorHandler {
    @Override
    public void onError(Color color, Object event, Throwable error) {
      throw new IllegalStateException("no handler throws here", error);
    }

    @Override
    public void onBlocked(
        int core, Color color, Handler<?> handler, Duration time, StackTraceElement[] stack) {
      if (reports.incrementAndGet() == 1) {
        System.out.printf(
            Locale.ROOT, "core %d, %s, %s, %d ms:%n", core, color, handler, time.toMillis());
        for (StackTraceElement frame : stack) {
          System.out.println("    at " + frame);
        }
      }
    }
  }
}
