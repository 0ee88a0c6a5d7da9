package dev.mely.bench.micro;

import dev.mely.bench.OtherProcesses;
import dev.mely.bench.baseline.Configuration;
import dev.mely.bench.baseline.Contestant;
import dev.mely.bench.baseline.Figures;
import dev.mely.topology.AllowedCpus;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.infra.BenchmarkParams;

/** A running benchmark of {@link Micro}: the contestant and the scenario. */
@State(Scope.Benchmark)
public class Game {
  /** System property: number of cores; by default all that the process may use. */
  static final String CORES = "mely.bench.cores";

  /** System property: whether workers are pinned; true by default. */
  static final String PINNED = "mely.bench.pinned";

  /** The first load of a benchmark. */
  static final String USUAL = "usual";

  /** The contestant. */
  @Param({
    "ceiling",
    "libasync",
    "libasync-ws",
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

  /** The load; see {@code micro --list}. */
  @Param(USUAL)
  public String load = USUAL;

  private int rounds;
  private @Nullable Contestant<?> contestant;
  private @Nullable Scenario scenario;

  /** Starts the contestant. */
  @Setup(Level.Trial)
  public void start(BenchmarkParams params) {
    String benchmark = params.getBenchmark();
    Micro micro = Micro.parse(benchmark.substring(benchmark.lastIndexOf('.') + 1));
    Contestant<?> started = newContestant();
    contestant = started;
    rounds = micro.rounds();
    scenario =
        micro.scenario(started, load.equals(USUAL) ? micro.loads().get(0) : micro.checkLoad(load));
  }

  final Contestant<?> newContestant() {
    int cores = Integer.getInteger(CORES, AllowedCpus.system().recommendedWorkers());
    boolean pinned = Boolean.parseBoolean(System.getProperty(PINNED, "true"));
    return Configuration.parse(configuration).start(cores, pinned);
  }

  /** Stops the contestant. */
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
    OtherProcesses others = OtherProcesses.start();
    Figures before = contestant.figures();
    long start = System.nanoTime();
    counts.events += scenario.play(rounds);
    counts.nanos += System.nanoTime() - start;
    counts.add(before, contestant.figures());
    counts.othersNanos += others.nanos(0);
  }
}
