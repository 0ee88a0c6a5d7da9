package dev.mely.bench;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** What all commands have in common; each is made by the command line, and called once. */
@Command(mixinStandardHelpOptions = true, versionProvider = Versions.class, sortOptions = false)
public abstract class BenchCommand implements Callable<Integer> {
  /** The command line that has made this. */
  @Spec protected CommandSpec spec = CommandSpec.create();

  /** Made by the command line alone. */
  protected BenchCommand() {}

  /**
   * Checks a whole number.
   *
   * @return the value
   * @throws ParameterException if it is out of range; it names the option
   */
  protected final int inRange(String option, int value, int min, int max) {
    return Checks.inRange(spec, option, value, min, max);
  }

  /**
   * Checks a time.
   *
   * @return the value, in nanoseconds
   * @throws ParameterException if it is out of range; it names the option
   */
  protected final long nanos(String option, double seconds) {
    return (long) (Checks.seconds(spec, option, seconds) * 1e9);
  }

  /** What to throw where the command line is wrong in another way. */
  protected final ParameterException misuse(String message) {
    return new ParameterException(spec.commandLine(), message);
  }
}
