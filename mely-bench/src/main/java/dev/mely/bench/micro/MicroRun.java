package dev.mely.bench.micro;

import dev.mely.bench.baseline.Configuration;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
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
 * Runs one of {@link Microbenchmarks}, each time in a fresh JVM.
 *
 * @param micro the benchmark
 * @param load one of its loads
 * @param warmUp duration of the warm-up, in seconds
 * @param seconds duration of the measurement
 * @param cores number of workers
 * @param pinned whether they are pinned
 * @param jvmArgs flags of the measured JVMs
 */
public record MicroRun(
    Micro micro,
    String load,
    double warmUp,
    double seconds,
    int cores,
    boolean pinned,
    List<String> jvmArgs) {
  private static final int ITERATIONS = 2;

  /**
   * Part of JMH's message if the lock is taken; the exception's class is the same for all failures.
   */
  private static final String LOCKED = "Another JMH instance";

  /** Another JMH measurement is running on this machine: JMH allows only one. */
  static final class LockedException extends Exception {
    private static final long serialVersionUID = 1;

    LockedException(Exception cause) {
      super(
          "another JMH run has the lock "
              + Path.of(System.getProperty("java.io.tmpdir"), "jmh.lock")
              + ": wait until it has ended, or measure in parallel with 'java -Djmh.ignoreLock=true"
              + " -jar'",
          cause);
    }
  }

  /**
   * Takes one sample, in a JVM with the options of this one.
   *
   * @param c the configuration
   * @return figures by name: {@code rate}, events per second, and others
   * @throws Exception if another measurement is running, or JMH has failed
   */
  public Map<String, Double> sample(Configuration c) throws Exception {
    // JMH's output is printed only if it fails.
    ByteArrayOutputStream said = new ByteArrayOutputStream();
    PrintStream out = new PrintStream(said, true, StandardCharsets.UTF_8);
    OutputFormat format = OutputFormatFactory.createFormatInstance(out, VerboseMode.NORMAL);
    try {
      return Samples.of(micro, c, cores, new Runner(options(c), format).runSingle());
    } catch (RunnerException | RuntimeException e) {
      if (String.valueOf(e.getMessage()).contains(LOCKED)) {
        throw new LockedException(e);
      }
      System.err.println(said.toString(StandardCharsets.UTF_8));
      throw e;
    }
  }

  private Options options(Configuration c) {
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
