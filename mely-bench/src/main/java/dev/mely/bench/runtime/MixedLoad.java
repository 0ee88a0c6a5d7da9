package dev.mely.bench.runtime;

import dev.mely.Color;
import dev.mely.Handler;
import dev.mely.Mely;
import dev.mely.MelyBuilder;
import dev.mely.bench.Arrivals;
import dev.mely.bench.Work;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;

/**
 * An open-loop load of heavy and light colors on one core: random arrival times, determined by a
 * seed; latency counts from an event's due time. The registering thread hardly sleeps, so it needs
 * a CPU of its own.
 */
final class MixedLoad {
  /** The light events' share of the load. */
  private static final double LIGHT_SHARE = 0.02;

  private static final long HEAVY_NANOS = 500_000;
  private static final long LIGHT_NANOS = 2_000;
  private static final int COLORS = 32;

  /** How late a parked thread wakes up, approximately. */
  private static final long WAKE_UP_NANOS = 60_000;

  private final MelyBuilder.Order order;
  private final double load;
  private final long nanos;
  private final long seed;

  /**
   * @param load of the core, 0 to 1
   * @param nanos duration of the arrivals
   */
  MixedLoad(MelyBuilder.Order order, double load, long nanos, long seed) {
    this.order = order;
    this.load = load;
    this.nanos = nanos;
    this.seed = seed;
  }

  /** One kind of color, with its arrivals. */
  private static final class Stream extends Handler<Long> {
    final Histogram latencies = new Histogram(3);
    private final Color[] colors = new Color[COLORS];
    private final int iterations;
    private final double meanGap;
    private final SplittableRandom random;
    private long due;
    private long work = 1;

    Stream(Mely mely, long costNanos, double share, SplittableRandom random, long start) {
      this.iterations = Work.iterations(costNanos);
      this.meanGap = costNanos / share;
      this.random = random;
      for (int i = 0; i < COLORS; i++) {
        colors[i] = mely.newColor();
      }
      this.due = start;
      next();
    }

    private void next() {
      due += Arrivals.gap(random, meanGap);
    }

    /** Registers the events that are due. Returns how many. */
    int arrive(Mely mely, long now) {
      int arrived = 0;
      while (due <= now) {
        mely.register(colors[random.nextInt(COLORS)], this, due);
        arrived++;
        next();
      }
      return arrived;
    }

    /** Called by one thread only, since there is one worker. */
    @Override
    public void handle(Long dueTime) {
      work = Work.spin(iterations, work);
      latencies.recordValue(Math.max(0, System.nanoTime() - dueTime));
    }
  }

  /** Runs the load and returns its figures. */
  Map<String, Double> run() {
    SplittableRandom random = new SplittableRandom(seed);
    Mely mely = Mely.builder().cores(1).pinned(true).order(order).build();
    long start = System.nanoTime();
    Stream heavy = new Stream(mely, HEAVY_NANOS, load * (1 - LIGHT_SHARE), random.split(), start);
    Stream light = new Stream(mely, LIGHT_NANOS, load * LIGHT_SHARE, random.split(), start);
    long events = 0;
    long now = start;
    while (now - start < nanos) {
      events += heavy.arrive(mely, now) + light.arrive(mely, now);
      pause(Math.min(heavy.due, light.due) - System.nanoTime());
      now = System.nanoTime();
    }
    mely.shutdown(Duration.ofSeconds(60));
    double seconds = (System.nanoTime() - start) / 1e9;
    Map<String, Double> sample = new LinkedHashMap<>();
    sample.put("eventsPerSecond", events / seconds);
    put(sample, "light", light.latencies);
    put(sample, "heavy", heavy.latencies);
    return sample;
  }

  /** Leaves the CPU to others if no event is due soon. */
  private static void pause(long nanos) {
    if (nanos > 2 * WAKE_UP_NANOS) {
      LockSupport.parkNanos(nanos - WAKE_UP_NANOS);
    } else {
      Thread.onSpinWait();
    }
  }

  private static void put(Map<String, Double> sample, String name, Histogram latencies) {
    sample.put(name + "P50Millis", latencies.getValueAtPercentile(50) / 1e6);
    sample.put(name + "P99Millis", latencies.getValueAtPercentile(99) / 1e6);
    sample.put(name + "MaxMillis", latencies.getMaxValue() / 1e6);
  }
}
