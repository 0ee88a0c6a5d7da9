package dev.mely.bench;

import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;

/** How far a run is, on standard error. */
public final class Progress implements AutoCloseable {
  private static final int UPDATE_MILLIS = 1_000;

  private final ProgressBar bar;

  /**
   * Shows a bar.
   *
   * @param task what is running
   * @param samples how many samples there will be
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
   * Tells which sample is being taken.
   *
   * @param configuration its name
   */
  public void begin(String configuration) {
    bar.setExtraMessage(configuration);
  }

  /** Tells that the sample has been taken. */
  public void end() {
    bar.step();
  }

  @Override
  public void close() {
    bar.setExtraMessage("");
    bar.close();
  }
}
