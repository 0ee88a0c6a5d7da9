package dev.mely.netty.monitor;

import dev.mely.netty.sharing.Span;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What is seen of one event loop of Netty's, in one second. */
final class StockLoop {
  private final LoopRecorder recorder = new LoopRecorder(System::nanoTime);
  private final StuckWatch stuck = new StuckWatch();
  private double busyNanos;
  private double waitedNanos;
  private double turns;

  LoopRecorder recorder() {
    return recorder;
  }

  void look(long now) {
    stuck.look(recorder.running() != null, recorder.begun(), now);
  }

  /**
   * Adds a slice.
   *
   * @param spans what it ran
   * @param busy share of the slice in which it ran something
   * @param nanos how long the slice was
   * @param recorded how long it was recorded: a little longer
   */
  void addSlice(List<Span> spans, double busy, long nanos, long recorded) {
    double counted = (double) nanos / recorded;
    busyNanos += busy * nanos;
    waitedNanos += recorder.waitedNanos() * counted;
    turns += spans.stream().filter(span -> span.channel() != null).count() * counted;
  }

  /**
   * Tells it, and begins anew.
   *
   * @param nanos of all slices
   */
  CoreFigures take(long now, long nanos) {
    @Nullable Thread thread = recorder.thread();
    @Nullable Object runs = recorder.running();
    long stuckMillis = stuck.stuckMillis(now);
    CoreFigures figures =
        new CoreFigures(
            thread == null ? "no thread yet" : thread.getName(),
            busyNanos / nanos,
            waitedNanos / nanos,
            turns * 1e9 / nanos,
            0,
            runs == null ? null : runs.toString(),
            stuckMillis,
            stuckMillis == 0 || thread == null
                ? List.of()
                : Stream.of(thread.getStackTrace()).map(StackTraceElement::toString).toList());
    busyNanos = 0;
    waitedNanos = 0;
    turns = 0;
    return figures;
  }
}
