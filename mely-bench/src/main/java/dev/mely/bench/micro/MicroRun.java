package dev.mely.bench.micro;

import dev.mely.bench.Retakes;
import dev.mely.bench.baseline.Configuration;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.format.OutputFormat;
import org.openjdk.jmh.runner.format.OutputFormatFactory;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.Options;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * Runs one of {@link Microbenchmarks}: all configurations, then all again, each time in a fresh
 * JVM. JMH alone would run all forks of one configuration before the next, and would blame on the
 * last one whatever else the machine began to do meanwhile.
 *
 * @param micro the benchmark
 * @param configurations what takes part
 * @param forks how many JVMs each gets
 * @param warmUp how long each runs before, in seconds
 * @param seconds how long each measures
 * @param cores number of workers
 * @param pinned whether they are pinned
 * @param jvmArgs flags of the measured JVMs
 * @param retakes what becomes of samples that others have disturbed
 */
public record MicroRun(
    Micro micro,
    List<Configuration> configurations,
    int forks,
    double warmUp,
    double seconds,
    int cores,
    boolean pinned,
    List<String> jvmArgs,
    Retakes retakes) {
  private static final int ITERATIONS = 2;

  /** JMH throws the same class for all that goes wrong; this is in the text if it is the lock. */
  private static final String LOCKED = "Another JMH instance";

  /** JMH measures once at a time on a machine, and something else is being measured. */
  static final class LockedException extends Exception {
    private static final long serialVersionUID = 1;

    LockedException(RunnerException cause) {
      super(
          "another JMH run has the lock "
              + Path.of(System.getProperty("java.io.tmpdir"), "jmh.lock")
              + ": wait until it has ended, or measure beside it with 'java -Djmh.ignoreLock=true"
              + " -jar'",
          cause);
    }
  }

  /**
   * Takes one sample, in a JVM with the options of this one.
   *
   * @param seconds how long it is measured
   * @param warmUp how long it runs before, in seconds
   * @return events a second
   */
  public static double rate(
      Micro micro, String load, String configuration, int cores, double seconds, double warmUp)
      throws Exception {
    Configuration c = Configuration.parse(configuration);
    MicroRun run =
        new MicroRun(micro, List.of(c), 1, warmUp, seconds, cores, true, List.of(), new Retakes());
    return Objects.requireNonNull(run.sample(c, load).get("rate"));
  }

  /** Takes all samples of a load: per configuration one for each fork, in order. */
  Map<String, List<Map<String, Double>>> run(String load) throws Exception {
    Map<String, Callable<Map<String, Double>>> takers = new LinkedHashMap<>();
    configurations.forEach(c -> takers.put(c.label(), () -> sample(c, load)));
    return retakes.inTurn(micro.label() + " " + load, forks, takers);
  }

  private Map<String, Double> sample(Configuration c, String load)
      throws RunnerException, LockedException {
    // What JMH says is of interest only if it fails.
    ByteArrayOutputStream said = new ByteArrayOutputStream();
    PrintStream out = new PrintStream(said, true, StandardCharsets.UTF_8);
    OutputFormat format = OutputFormatFactory.createFormatInstance(out, VerboseMode.NORMAL);
    try {
      return Samples.of(micro, c, cores, new Runner(options(c, load), format).runSingle());
    } catch (RunnerException e) {
      if (String.valueOf(e.getMessage()).contains(LOCKED)) {
        throw new LockedException(e);
      }
      System.err.println(said.toString(StandardCharsets.UTF_8));
      throw e;
    } catch (RuntimeException e) {
      System.err.println(said.toString(StandardCharsets.UTF_8));
      throw e;
    }
  }

  private Options options(Configuration c, String load) {
    List<String> flags = new ArrayList<>(jvmArgs);
    flags.add("-D" + Game.CORES + "=" + cores);
    flags.add("-D" + Game.PINNED + "=" + pinned);
    ChainedOptionsBuilder options =
        new OptionsBuilder()
            .include(Microbenchmarks.class.getName() + "\\." + micro.label() + "$")
            .param("configuration", c.label())
            .param("load", load)
            .forks(1)
            .jvmArgsAppend(flags.toArray(new String[0]))
            .shouldFailOnError(true);
    if (micro != Micro.IDLE_COLORS) {
      options
          .warmupIterations(1)
          .warmupTime(time(warmUp))
          .measurementIterations(ITERATIONS)
          .measurementTime(time(seconds / ITERATIONS));
    }
    return options.build();
  }

  private static TimeValue time(double seconds) {
    return TimeValue.milliseconds(Math.round(seconds * 1_000));
  }
}
