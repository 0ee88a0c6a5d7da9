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
      description =
          "seconds of measurement per sample, after as many of warm-up (default: 2.5, of sws 5; of a quick run 1)")
  private @Nullable Double time;

  private final double usual;

  /**
   * @param usual seconds by default
   */
  SampleTime(double usual) {
    this.usual = usual;
  }

  /** The checked time, in seconds. */
  double seconds(boolean quick) {
    return Checks.seconds(spec, "--time", time != null ? time : quick ? QUICK_SECONDS : usual);
  }

  /** The checked time, in nanoseconds. */
  long nanos(boolean quick) {
    return (long) (seconds(quick) * 1e9);
  }
}
