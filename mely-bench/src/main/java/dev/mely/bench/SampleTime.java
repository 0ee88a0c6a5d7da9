package dev.mely.bench;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Options for the duration of a sample. */
public final class SampleTime {
  private static final String TIME = "--time";
  private static final String WARM_UP = "--warm-up";
  private static final double SECONDS = 2.5;
  private static final double WARM_UP_SECONDS = 60;
  private static final double QUICK_SECONDS = 1;

  @Spec(Spec.Target.MIXEE)
  private CommandSpec spec = CommandSpec.create();

  @Option(
      names = TIME,
      paramLabel = "<s>",
      description = "seconds of measurement per sample (default: ${DEFAULT-VALUE}; --quick: less)")
  private double time;

  @Option(
      names = WARM_UP,
      paramLabel = "<s>",
      description =
          "seconds of warm-up with the same load, for a server the maximum: it ends when the"
              + " compilers are quiet and the CPU time per answer is stable (default:"
              + " ${DEFAULT-VALUE}; --quick: less)")
  private double warmUp;

  private final double quickTime;
  private final double quickWarmUp;

  /**
   * Sets the usual defaults of server comparisons: 2.5 seconds, after at most a minute of warm-up.
   */
  public SampleTime() {
    this(SECONDS, WARM_UP_SECONDS);
  }

  /** Sets the defaults of measurement and warm-up, in seconds; a second each in a quick run. */
  public SampleTime(double time, double warmUp) {
    this(time, warmUp, QUICK_SECONDS, QUICK_SECONDS);
  }

  /**
   * Sets the defaults, in seconds.
   *
   * @param time of the measurement
   * @param warmUp of the warm-up
   * @param quickTime of the measurement in a quick run
   * @param quickWarmUp of the warm-up in a quick run
   */
  public SampleTime(double time, double warmUp, double quickTime, double quickWarmUp) {
    this.time = time;
    this.warmUp = warmUp;
    this.quickTime = quickTime;
    this.quickWarmUp = quickWarmUp;
  }

  /** The checked time of the measurement, in seconds. */
  public double seconds(boolean quick) {
    return Checks.seconds(spec, TIME, quick && !isChosen(TIME) ? quickTime : time);
  }

  /** The checked time of the warm-up, in seconds. */
  public double warmUpSeconds(boolean quick) {
    return Checks.seconds(spec, WARM_UP, quick && !isChosen(WARM_UP) ? quickWarmUp : warmUp);
  }

  /** The checked time of the measurement, in nanoseconds. */
  public long nanos(boolean quick) {
    return (long) (seconds(quick) * 1e9);
  }

  /** The checked time of the warm-up, in nanoseconds. */
  public long warmUpNanos(boolean quick) {
    return (long) (warmUpSeconds(quick) * 1e9);
  }

  private boolean isChosen(String option) {
    return spec.commandLine().getParseResult().hasMatchedOption(option);
  }
}
