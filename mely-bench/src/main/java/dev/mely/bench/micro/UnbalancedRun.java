package dev.mely.bench.micro;

import dev.mely.bench.Progress;
import dev.mely.bench.Retakes;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.openjdk.jmh.results.BenchmarkResult;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.format.OutputFormat;
import org.openjdk.jmh.runner.format.OutputFormatFactory;
import org.openjdk.jmh.runner.options.Options;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * Runs {@link UnbalancedBenchmark}: all configurations, then all again, each time in a fresh JVM.
 * JMH alone would run all forks of one configuration before the next, and would blame on the last
 * one whatever else the machine began to do meanwhile.
 *
 * @param load what each round consists of
 * @param configurations what takes part
 * @param forks how many JVMs each gets
 * @param seconds how long each measures
 * @param cores number of workers
 * @param pinned whether they are pinned
 * @param jvmArgs flags of the measured JVMs
 * @param retakes what becomes of samples that others have disturbed
 */
record UnbalancedRun(
    String load,
    List<Configuration> configurations,
    int forks,
    double seconds,
    int cores,
    boolean pinned,
    List<String> jvmArgs,
    Retakes retakes) {
  private static final int ITERATIONS = 2;
  private static final double MAX_WARM_UP_SECONDS = 1;

  /** Takes all samples: per configuration one for each fork, in order. */
  Map<Configuration, List<RunResult>> run() throws Exception {
    Map<Configuration, List<RunResult>> results = new EnumMap<>(Configuration.class);
    try (Progress progress = new Progress(load, forks * configurations.size())) {
      for (int fork = 0; fork < forks; fork++) {
        for (Configuration c : configurations) {
          progress.begin(c.label());
          results.computeIfAbsent(c, x -> new ArrayList<>()).add(take(c));
          progress.end();
        }
      }
    }
    return results;
  }

  private RunResult take(Configuration c) throws Exception {
    return retakes.take(() -> sample(c), result -> samples(List.of(result)).get(0).others());
  }

  private RunResult sample(Configuration c) throws RunnerException {
    // What JMH says is of interest only if it fails.
    ByteArrayOutputStream said = new ByteArrayOutputStream();
    PrintStream out = new PrintStream(said, true, StandardCharsets.UTF_8);
    OutputFormat format = OutputFormatFactory.createFormatInstance(out, VerboseMode.NORMAL);
    try {
      return new Runner(options(c), format).runSingle();
    } catch (RunnerException e) {
      System.err.println(said.toString(StandardCharsets.UTF_8));
      throw e;
    }
  }

  private Options options(Configuration c) {
    List<String> flags = new ArrayList<>(jvmArgs);
    flags.add("-D" + UnbalancedBenchmark.CORES + "=" + cores);
    flags.add("-D" + UnbalancedBenchmark.PINNED + "=" + pinned);
    return new OptionsBuilder()
        .include(UnbalancedBenchmark.class.getName() + "\\.play$")
        .param("configuration", c.label())
        .param("load", load)
        .forks(1)
        .warmupIterations(1)
        .warmupTime(time(Math.min(seconds / 2, MAX_WARM_UP_SECONDS)))
        .measurementIterations(ITERATIONS)
        .measurementTime(time(seconds / ITERATIONS))
        .jvmArgsAppend(flags.toArray(new String[0]))
        .shouldFailOnError(true)
        .build();
  }

  private static TimeValue time(double seconds) {
    return TimeValue.milliseconds(Math.round(seconds * 1_000));
  }

  /** What the JVMs of one configuration measured. */
  static List<Sample> samples(List<RunResult> results) {
    List<Sample> samples = new ArrayList<>();
    for (RunResult result : results) {
      for (BenchmarkResult fork : result.getBenchmarkResults()) {
        Collection<IterationResult> iterations = fork.getIterationResults();
        samples.add(Sample.of(iterations));
      }
    }
    return samples;
  }
}
