package dev.mely.netty.monitor;

import dev.mely.netty.monitor.LoopRecorder.Slice;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** What is seen of one event loop of Netty's, in one second. */
final class StockLoop {
  private final LoopRecorder recorder;
  private final StuckWatch stuck = new StuckWatch();
  private double busyNanos;
  private double waitedNanos;
  private double turns;

  StockLoop() {
    this(System::nanoTime);
  }

  /**
   * @param clock nanoseconds, as {@link System#nanoTime}
   */
  StockLoop(LongSupplier clock) {
    this.recorder = new LoopRecorder(clock);
  }

  LoopRecorder recorder() {
    return recorder;
  }

  void beginSecond() {
    busyNanos = 0;
    waitedNanos = 0;
    turns = 0;
  }

  void look(long now) {
    stuck.look(recorder.running() != null, recorder.begun(), now);
  }

  /**
   * Adds a slice.
   *
   * @param slice what was recorded: a little longer than what is counted
   * @param busy share of the time in which it ran something
   * @param nanos how long that time was
   */
  void addSlice(Slice slice, double busy, long nanos) {
    double counted = (double) nanos / (slice.to() - slice.from());
    busyNanos += busy * nanos;
    waitedNanos += slice.waitedNanos() * counted;
    turns += slice.turns() * counted;
  }

  /**
   * Tells it.
   *
   * @param nanos of all slices
   */
  CoreFigures take(long now, long nanos) {
    @Nullable Thread thread = recorder.thread();
    @Nullable Object runs = recorder.running();
    long stuckMillis = runs == null ? 0 : stuck.stuckMillis(now);
    return new CoreFigures(
        thread == null ? "no thread yet" : thread.getName(),
        busyNanos / nanos,
        waitedNanos / nanos,
        turns * 1e9 / nanos,
        0,
        runs == null ? null : Tallies.text(runs),
        stuckMillis,
        stuckMillis == 0 || thread == null ? List.of() : List.of(thread.getStackTrace()));
  }
}
