package dev.mely.bench.micro;

import dev.mely.bench.baseline.Contestant;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Warmup;
import org.openjdk.jmh.infra.BenchmarkParams;

/**
 * The benchmarks of {@link Micro} for JMH, under the same names. JMH's own score counts calls of
 * many events each; {@code events} divided by {@code nanos} is the rate.
 *
 * <p>JMH's own thread sleeps while the workers run.
 */
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Fork(1)
@Warmup(iterations = 1, time = 1)
@Measurement(iterations = 2, time = 1)
public class Microbenchmarks {
  /** The paper's T3 and T4. */
  @Benchmark
  public void unbalanced(Game game, Counts counts) {
    game.play(counts);
  }

  /** The paper's T5. */
  @Benchmark
  public void penalty(Game game, Counts counts) {
    game.play(counts);
  }

  /** The paper's T6. */
  @Benchmark
  public void cacheEfficient(Game game, Counts counts) {
    game.play(counts);
  }

  /** libasync-smp's table 2. */
  @Benchmark
  public void chains(Game game, Counts counts) {
    game.play(counts);
  }

  /** Many colors, all busy. */
  @Benchmark
  public void steadyColors(Game game, Counts counts) {
    game.play(counts);
  }

  /** One color, busy. */
  @Benchmark
  public void hotColor(Game game, Counts counts) {
    game.play(counts);
  }

  /** From color to color. */
  @Benchmark
  public void pingPong(Game game, Counts counts) {
    game.play(counts);
  }

  /** From outside. */
  @Benchmark
  public void registration(Game game, Counts counts) {
    game.play(counts);
  }

  /** A color per connection. */
  @Benchmark
  public void shortLivedColors(Game game, Counts counts) {
    game.play(counts);
  }

  /** Only steals. */
  @Benchmark
  public void stealCost(Game game, Counts counts) {
    game.play(counts);
  }

  /** Memory; one measurement per JVM. */
  @Benchmark
  @BenchmarkMode(Mode.SingleShotTime)
  @Warmup(iterations = 0)
  @Measurement(iterations = 1)
  public void idleColors(IdleColorsGame game, Counts counts) throws InterruptedException {
    game.measure(counts);
  }

  /** See {@link Micro#IDLE_COLORS}. */
  public static class IdleColorsGame extends Game {
    @Override
    public void start(BenchmarkParams params) {}

    @Override
    public void stop() {}

    private void measure(Counts counts) throws InterruptedException {
      int colors = load.equals("100-thousand") ? 100_000 : 1_000_000;
      try (Contestant<?> contestant = newContestant()) {
        counts.idleBytes += new IdleColors<>(contestant).measure(colors);
        counts.idleColors += colors;
      }
    }
  }
}
