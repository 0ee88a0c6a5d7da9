package dev.mely.bench;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** Checks of command-line values; the error names the option and the value. */
public final class Checks {
  private Checks() {}

  /**
   * Checks an integer.
   *
   * @throws ParameterException if it is out of range
   */
  public static int inRange(CommandSpec spec, String option, int value, int min, int max) {
    if (value < min || value > max) {
      throw new ParameterException(
          spec.commandLine(),
          option + " must be between " + min + " and " + max + ", but is " + value);
    }
    return value;
  }

  /**
   * Checks a time.
   *
   * @throws ParameterException if it is out of range
   */
  public static double seconds(CommandSpec spec, String option, double value) {
    if (!(value >= 0.1 && value <= 3_600)) {
      throw new ParameterException(
          spec.commandLine(), option + " must be between 0.1 and 3600 seconds, but is " + value);
    }
    return value;
  }
}
