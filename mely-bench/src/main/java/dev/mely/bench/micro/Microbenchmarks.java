package dev.mely.bench.micro;

import dev.mely.bench.Others;
import dev.mely.bench.baseline.Configuration;
import dev.mely.bench.baseline.Contestant;
import dev.mely.bench.baseline.Figures;
import dev.mely.topology.AllowedCpus;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * The benchmarks of {@link Micro} for JMH, under the same names. JMH's own score counts plays, of
 * many events each; {@code events} by {@code nanos} is the rate.
 *
 * <p>JMH's own thread sleeps while the workers play.
 */
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Fork(1)
@Warmup(iterations = 1, time = 1)
@Measurement(iterations = 2, time = 1)
public class Microbenchmarks {
  /** System property: number of cores; all that the process may use if absent. */
  static final String CORES = "mely.bench.cores";

  /** System property: whether workers are pinned; they are if absent. */
  static final String PINNED = "mely.bench.pinned";

  /** The paper's T3 and T4. */
  @Benchmark
  public void unbalanced(UnbalancedGame game, Counts counts) {
    game.play(counts);
  }

  /** The paper's T5. */
  @Benchmark
  public void penalty(PenaltyGame game, Counts counts) {
    game.play(counts);
  }

  /** The paper's T6. */
  @Benchmark
  public void cacheEfficient(CacheEfficientGame game, Counts counts) {
    game.play(counts);
  }

  /** libasync-smp's table 2. */
  @Benchmark
  public void chains(ChainsGame game, Counts counts) {
    game.play(counts);
  }

  /** Many colors, all busy. */
  @Benchmark
  public void steadyColors(SteadyColorsGame game, Counts counts) {
    game.play(counts);
  }

  /** One color, busy. */
  @Benchmark
  public void hotColor(HotColorGame game, Counts counts) {
    game.play(counts);
  }

  /** From color to color. */
  @Benchmark
  public void pingPong(PingPongGame game, Counts counts) {
    game.play(counts);
  }

  /** From outside. */
  @Benchmark
  public void registration(RegistrationGame game, Counts counts) {
    game.play(counts);
  }

  /** A color per connection. */
  @Benchmark
  public void shortLivedColors(ShortLivedColorsGame game, Counts counts) {
    game.play(counts);
  }

  /** Steals and nothing else. */
  @Benchmark
  public void stealCost(StealCostGame game, Counts counts) {
    game.play(counts);
  }

  /** Memory; one measurement a JVM. */
  @Benchmark
  @BenchmarkMode(Mode.SingleShotTime)
  @Warmup(iterations = 0)
  @Measurement(iterations = 1)
  public void idleColors(IdleColorsGame game, Counts counts) throws InterruptedException {
    game.measure(counts);
  }

  /** A benchmark under way: the contestant and what is done with it. */
  @State(Scope.Benchmark)
  public abstract static class Game {
    /** What takes part. */
    @Param({
      "libasync",
      "libasync-ws",
      "libasync-ws-full",
      "mely-spinlock",
      "mely-spinlock-base-ws",
      "mely-spinlock-locality",
      "mely-spinlock-time-left",
      "mely-spinlock-penalty",
      "mely-spinlock-all",
      "mely",
      "mely-base-ws",
      "mely-locality",
      "mely-time-left",
      "mely-penalty",
      "mely-all",
      "mely-auto",
      "fjp-guava",
      "fjp-mailbox",
      "netty-nonsticky",
      "pekko",
      "virtual-threads"
    })
    public String configuration = "";

    private final Micro micro;
    private @Nullable Contestant<?> contestant;
    private @Nullable Scenario scenario;

    Game(Micro micro) {
      this.micro = micro;
    }

    abstract String load();

    /** Starts the runtime. */
    @Setup(Level.Trial)
    public void start() {
      Contestant<?> started = newContestant();
      contestant = started;
      scenario = micro.scenario(started, load());
    }

    final Contestant<?> newContestant() {
      int cores = Integer.getInteger(CORES, AllowedCpus.system().recommendedWorkers());
      boolean pinned = Boolean.parseBoolean(System.getProperty(PINNED, "true"));
      return Configuration.parse(configuration).start(cores, pinned);
    }

    /** Ends the runtime. */
    @TearDown(Level.Trial)
    public void stop() {
      if (contestant != null) {
        contestant.close();
      }
    }

    final void play(Counts counts) {
      if (contestant == null || scenario == null) {
        throw new IllegalStateException("not started");
      }
      Others others = Others.start();
      Figures before = contestant.figures();
      long start = System.nanoTime();
      counts.events += scenario.play(micro.rounds());
      counts.nanos += System.nanoTime() - start;
      counts.add(before, contestant.figures());
      counts.othersNanos += others.nanos(0);
    }
  }

  /** See {@link Micro#UNBALANCED}. */
  public static class UnbalancedGame extends Game {
    /** Which events. */
    @Param({"unbalanced", "all-short", "one-color"})
    public String load = "";

    /** Called by JMH. */
    public UnbalancedGame() {
      super(Micro.UNBALANCED);
    }

    @Override
    String load() {
      return load;
    }
  }

  /** See {@link Micro#PENALTY}. */
  public static class PenaltyGame extends Game {
    /** Which events. */
    @Param("chains")
    public String load = "";

    /** Called by JMH. */
    public PenaltyGame() {
      super(Micro.PENALTY);
    }

    @Override
    String load() {
      return load;
    }
  }

  /** See {@link Micro#CACHE_EFFICIENT}. */
  public static class CacheEfficientGame extends Game {
    /** Which events. */
    @Param("merge-sort")
    public String load = "";

    /** Called by JMH. */
    public CacheEfficientGame() {
      super(Micro.CACHE_EFFICIENT);
    }

    @Override
    String load() {
      return load;
    }
  }

  /** See {@link Micro#CHAINS}. */
  public static class ChainsGame extends Game {
    /** Work per event. */
    @Param({"1k-cycles", "25k-cycles"})
    public String load = "";

    /** Called by JMH. */
    public ChainsGame() {
      super(Micro.CHAINS);
    }

    @Override
    String load() {
      return load;
    }
  }

  /** See {@link Micro#STEADY_COLORS}. */
  public static class SteadyColorsGame extends Game {
    /** How many. */
    @Param("10k-colors")
    public String load = "";

    /** Called by JMH. */
    public SteadyColorsGame() {
      super(Micro.STEADY_COLORS);
    }

    @Override
    String load() {
      return load;
    }
  }

  /** See {@link Micro#HOT_COLOR}. */
  public static class HotColorGame extends Game {
    /** How many. */
    @Param("one-color")
    public String load = "";

    /** Called by JMH. */
    public HotColorGame() {
      super(Micro.HOT_COLOR);
    }

    @Override
    String load() {
      return load;
    }
  }

  /** See {@link Micro#PING_PONG}. */
  public static class PingPongGame extends Game {
    /** Where the second color is. */
    @Param({"home", "local"})
    public String load = "";

    /** Called by JMH. */
    public PingPongGame() {
      super(Micro.PING_PONG);
    }

    @Override
    String load() {
      return load;
    }
  }

  /** See {@link Micro#REGISTRATION}. */
  public static class RegistrationGame extends Game {
    /** How many threads. */
    @Param({
      "1-producer",
      "2-producers",
      "4-producers",
      "8-producers",
      "16-producers",
      "32-producers"
    })
    public String load = "";

    /** Called by JMH. */
    public RegistrationGame() {
      super(Micro.REGISTRATION);
    }

    @Override
    String load() {
      return load;
    }
  }

  /** See {@link Micro#SHORT_LIVED_COLORS}. */
  public static class ShortLivedColorsGame extends Game {
    /** How long they live. */
    @Param("4-events")
    public String load = "";

    /** Called by JMH. */
    public ShortLivedColorsGame() {
      super(Micro.SHORT_LIVED_COLORS);
    }

    @Override
    String load() {
      return load;
    }
  }

  /** See {@link Micro#STEAL_COST}. */
  public static class StealCostGame extends Game {
    /** How long an event takes. */
    @Param("10-micros")
    public String load = "";

    /** Called by JMH. */
    public StealCostGame() {
      super(Micro.STEAL_COST);
    }

    @Override
    String load() {
      return load;
    }
  }

  /** See {@link Micro#IDLE_COLORS}. */
  public static class IdleColorsGame extends Game {
    /** How many. */
    @Param({"million", "100-thousand"})
    public String load = "";

    /** Called by JMH. */
    public IdleColorsGame() {
      super(Micro.IDLE_COLORS);
    }

    @Override
    String load() {
      return load;
    }

    @Override
    public void start() {}

    @Override
    public void stop() {}

    private void measure(Counts counts) throws InterruptedException {
      int colors = load.equals("million") ? 1_000_000 : 100_000;
      try (Contestant<?> contestant = newContestant()) {
        counts.idleBytes += new IdleColors<>(contestant).measure(colors);
        counts.idleColors += colors;
      }
    }
  }

  /** What happened in an iteration, besides time. JMH adds the fields to its results. */
  @State(Scope.Thread)
  @AuxCounters(AuxCounters.Type.EVENTS)
  public static class Counts {
    /** Events that have run. */
    public long events;

    /** Time that passed while they ran. */
    public long nanos;

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

    /** Times a core's lock was taken. */
    public long locks;

    /** Time spent in waiting for locks. */
    public long lockNanos;

    /** Bytes that the workers allocated. */
    public long bytes;

    /** Colors that were idle when memory was measured. */
    public long idleColors;

    /** What they took. */
    public long idleBytes;

    /** CPU time that other processes used meanwhile. */
    public long othersNanos;

    void add(Figures before, Figures after) {
      steals += after.steals() - before.steals();
      stolenNanos += after.stolenNanos() - before.stolenNanos();
      stealNanos += after.stealNanos() - before.stealNanos();
      takeovers += after.takeovers() - before.takeovers();
      parks += after.parks() - before.parks();
      wakeups += after.wakeups() - before.wakeups();
      locks += after.locks() - before.locks();
      lockNanos += after.lockNanos() - before.lockNanos();
      bytes += after.bytes() - before.bytes();
    }
  }
}
