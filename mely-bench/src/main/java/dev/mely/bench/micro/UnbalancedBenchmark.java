package dev.mely.bench.micro;

import dev.mely.bench.Others;
import dev.mely.bench.Work;
import dev.mely.topology.AllowedCpus;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.AuxCounters;
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

/**
 * The paper's {@code unbalanced}: rounds of 50,000 short and long events, all registered on core 0
 * (Mely, section V-B, Tables III and IV). An operation is an event.
 *
 * <p>JMH's own thread sleeps while the workers play; it is woken once in {@value #ROUNDS} rounds.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Fork(1)
@Warmup(iterations = 1, time = 1)
@Measurement(iterations = 2, time = 1)
public class UnbalancedBenchmark {
  /** System property: number of cores; all that the process may use if absent. */
  static final String CORES = "mely.bench.cores";

  /** System property: whether workers are pinned; they are if absent. */
  static final String PINNED = "mely.bench.pinned";

  private static final int ROUNDS = 10;

  /** What takes part. */
  @Param({
    "mely",
    "mely-base-ws",
    "mely-locality",
    "mely-time-left",
    "mely-penalty",
    "mely-all",
    "fjp-guava"
  })
  public String configuration = "";

  /** What each round consists of. */
  @Param("unbalanced")
  public String load = "";

  private Contestant contestant = new Nobody();

  /** Starts the runtime. */
  @Setup(Level.Trial)
  public void start() {
    int cores = Integer.getInteger(CORES, AllowedCpus.system().recommendedWorkers());
    boolean pinned = Boolean.parseBoolean(System.getProperty(PINNED, "true"));
    contestant =
        Configuration.parse(configuration)
            .start(
                cores,
                pinned,
                Load.parse(load, Load.EVENTS),
                (event, iterations, before) -> Work.spin(iterations, before));
  }

  /** Ends the runtime. */
  @TearDown(Level.Trial)
  public void stop() {
    contestant.close();
  }

  /**
   * Plays a few rounds.
   *
   * @param counts takes note of what happened
   */
  @Benchmark
  @OperationsPerInvocation(ROUNDS * Load.EVENTS)
  public void play(Counts counts) {
    Others others = Others.start();
    long start = System.nanoTime();
    Figures before = contestant.figures();
    contestant.play(ROUNDS);
    counts.add(before, contestant.figures());
    counts.nanos += System.nanoTime() - start;
    counts.othersNanos += others.nanos(0);
  }

  /** What happened in an iteration, besides time. JMH adds the fields to its results. */
  @State(Scope.Thread)
  @AuxCounters(AuxCounters.Type.EVENTS)
  public static class Counts {
    /** Events that have run. */
    public long events;

    /** Colors, or tasks, stolen. */
    public long steals;

    /** Work that the steals won. */
    public long stolenNanos;

    /** What the steals cost. */
    public long stealNanos;

    /** Steals from a worker that was stuck in a handler. */
    public long takeovers;

    /** Times a worker went to sleep. */
    public long parks;

    /** Times a worker was called to steal. */
    public long wakeups;

    /** Bytes that the workers allocated. */
    public long bytes;

    /** Time that passed. */
    public long nanos;

    /** CPU time that other processes used meanwhile. */
    public long othersNanos;

    void add(Figures before, Figures after) {
      events += after.events() - before.events();
      steals += after.steals() - before.steals();
      stolenNanos += after.stolenNanos() - before.stolenNanos();
      stealNanos += after.stealNanos() - before.stealNanos();
      takeovers += after.takeovers() - before.takeovers();
      parks += after.parks() - before.parks();
      wakeups += after.wakeups() - before.wakeups();
      bytes += after.bytes() - before.bytes();
    }
  }

  /** Before the start. */
  private static final class Nobody implements Contestant {
    @Override
    public void play(int rounds) {
      throw new IllegalStateException("not started");
    }

    @Override
    public Figures figures() {
      throw new IllegalStateException("not started");
    }

    @Override
    public void close() {}
  }
}
