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
 * @param load one of those that it has
 * @param warmUp how long it runs before, in seconds
 * @param seconds how long it is measured
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

  /** JMH throws the same class for all that goes wrong; this is in the text if it is the lock. */
  private static final String LOCKED = "Another JMH instance";

  /** JMH measures once at a time on a machine, and something else is being measured. */
  static final class LockedException extends Exception {
    private static final long serialVersionUID = 1;

    LockedException(Exception cause) {
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
   * @param c what takes part
   * @return figures by name: {@code rate}, events a second, and others
   * @throws Exception if something else is measured, or JMH has failed
   */
  public Map<String, Double> sample(Configuration c) throws Exception {
    // What JMH says is of interest only if it fails.
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
