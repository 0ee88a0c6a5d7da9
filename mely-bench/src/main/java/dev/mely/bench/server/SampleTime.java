package dev.mely.bench.server;

import dev.mely.bench.Checks;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** How long a sample takes, where that is chosen. */
final class SampleTime {
  private static final double QUICK_SECONDS = 1;

  @Spec(Spec.Target.MIXEE)
  private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--time",
      paramLabel = "<s>",
      description = "seconds of measurement per sample (default: 2.5, of sws 5; of a quick run 1)")
  private @Nullable Double time;

  @Option(
      names = "--warm-up",
      paramLabel = "<s>",
      description =
          "seconds of the same load before (default: as many, of sws 10; of a quick run 1)")
  private @Nullable Double warmUp;

  private final double usual;
  private final double usualWarmUp;

  /** Measures and warms up for so many seconds by default. */
  SampleTime(double usual) {
    this(usual, Double.NaN);
  }

  /**
   * @param usual seconds by default
   * @param usualWarmUp seconds of warm-up by default; not a number: as many as of measurement
   */
  SampleTime(double usual, double usualWarmUp) {
    this.usual = usual;
    this.usualWarmUp = usualWarmUp;
  }

  /** The checked time of the measurement, in seconds. */
  double seconds(boolean quick) {
    return Checks.seconds(spec, "--time", time != null ? time : quick ? QUICK_SECONDS : usual);
  }

  /** The checked time of the warm-up, in seconds. */
  double warmUpSeconds(boolean quick) {
    if (warmUp != null) {
      return Checks.seconds(spec, "--warm-up", warmUp);
    }
    return quick || Double.isNaN(usualWarmUp) ? seconds(quick) : usualWarmUp;
  }

  /** The checked time of the measurement, in nanoseconds. */
  long nanos(boolean quick) {
    return (long) (seconds(quick) * 1e9);
  }

  /** The checked time of the warm-up, in nanoseconds. */
  long warmUpNanos(boolean quick) {
    return (long) (warmUpSeconds(quick) * 1e9);
  }
}
