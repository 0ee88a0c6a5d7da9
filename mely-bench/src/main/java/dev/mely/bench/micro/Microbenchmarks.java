package dev.mely.bench.micro;

import dev.mely.bench.baseline.Contestant;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Warmup;
import org.openjdk.jmh.infra.BenchmarkParams;

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

  /** See {@link Micro#UNBALANCED}. */
  public static class UnbalancedGame extends Game {
    /** Which events. */
    @Param({"unbalanced", "all-short", "one-color"})
    public String load = "";
  }

  /** See {@link Micro#PENALTY}. */
  public static class PenaltyGame extends Game {
    /** Which events. */
    @Param("chains")
    public String load = "";
  }

  /** See {@link Micro#CACHE_EFFICIENT}. */
  public static class CacheEfficientGame extends Game {
    /** Which events. */
    @Param("merge-sort")
    public String load = "";
  }

  /** See {@link Micro#CHAINS}. */
  public static class ChainsGame extends Game {
    /** Work per event. */
    @Param({"1k-cycles", "25k-cycles"})
    public String load = "";
  }

  /** See {@link Micro#STEADY_COLORS}. */
  public static class SteadyColorsGame extends Game {
    /** How many. */
    @Param("10k-colors")
    public String load = "";
  }

  /** See {@link Micro#HOT_COLOR}. */
  public static class HotColorGame extends Game {
    /** How many. */
    @Param("one-color")
    public String load = "";
  }

  /** See {@link Micro#PING_PONG}. */
  public static class PingPongGame extends Game {
    /** Where the second color is. */
    @Param({"home", "local"})
    public String load = "";
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
  }

  /** See {@link Micro#SHORT_LIVED_COLORS}. */
  public static class ShortLivedColorsGame extends Game {
    /** How long they live. */
    @Param("4-events")
    public String load = "";
  }

  /** See {@link Micro#STEAL_COST}. */
  public static class StealCostGame extends Game {
    /** How long an event takes. */
    @Param("10-micros")
    public String load = "";
  }

  /** See {@link Micro#IDLE_COLORS}. */
  public static class IdleColorsGame extends Game {
    /** How many. */
    @Param({"million", "100-thousand"})
    public String load = "";

    @Override
    public void start(BenchmarkParams params) {}

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
}
