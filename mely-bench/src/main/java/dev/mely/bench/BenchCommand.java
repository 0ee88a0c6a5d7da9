package dev.mely.bench;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Base class of all commands; picocli makes each one and calls it once. */
@Command(mixinStandardHelpOptions = true, versionProvider = Versions.class, sortOptions = false)
public abstract class BenchCommand implements Callable<Integer> {
  /** The command line that made this. */
  @Spec protected CommandSpec spec = CommandSpec.create();

  /** For picocli. */
  protected BenchCommand() {}

  /**
   * Checks an integer.
   *
   * @return the value
   * @throws ParameterException if it is out of range; names the option
   */
  protected final int inRange(String option, int value, int min, int max) {
    return Checks.inRange(spec, option, value, min, max);
  }

  /**
   * Checks a time.
   *
   * @return the value, in nanoseconds
   * @throws ParameterException if it is out of range; names the option
   */
  protected final long nanos(String option, double seconds) {
    return (long) (Checks.seconds(spec, option, seconds) * 1e9);
  }

  /** The exception for another mistake on the command line. */
  protected final ParameterException misuse(String message) {
    return new ParameterException(spec.commandLine(), message);
  }
}
