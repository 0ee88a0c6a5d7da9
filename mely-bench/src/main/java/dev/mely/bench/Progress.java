package dev.mely.bench;

import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;

/** Progress of a run, on standard error. */
public final class Progress implements AutoCloseable {
  private static final int UPDATE_MILLIS = 1_000;

  private final ProgressBar bar;

  /**
   * Shows a bar.
   *
   * @param task the name of the run
   * @param samples total number of samples
   */
  public Progress(String task, int samples) {
    bar =
        new ProgressBarBuilder()
            .setTaskName(task)
            .setInitialMax(samples)
            .setUpdateIntervalMillis(UPDATE_MILLIS)
            .setStyle(ProgressBarStyle.ASCII)
            .build();
  }

  /**
   * Shows which sample is being taken.
   *
   * @param configuration its name
   */
  public void begin(String configuration) {
    bar.setExtraMessage(configuration);
  }

  /** Shows that the sample has been taken. */
  public void end() {
    bar.step();
  }

  @Override
  public void close() {
    bar.setExtraMessage("");
    bar.close();
  }
}
