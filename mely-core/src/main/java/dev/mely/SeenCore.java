package dev.mely;

import dev.mely.report.ColorState;
import dev.mely.report.CoreState;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A core, as it was when it was read. */
record SeenCore(
    boolean isParked,
    @Nullable ColorState running,
    List<ColorState> waiting,
    int colorsWaiting,
    long progress,
    @Nullable Thread thread)
    implements CoreState {
  SeenCore {
    waiting = List.copyOf(waiting);
  }

  /**
   * Reads it, and stops no worker. Any thread.
   *
   * @param most colors of each lane that are read
   */
  static SeenCore of(Core core, int most, @Nullable Thread thread) {
    boolean parked = core.isParked();
    Color held = core.batch.color();
    return new SeenCore(
        parked,
        parked || held == null ? null : SeenColor.running(held, core.batch.handler),
        new ArrayList<>(waiting(core, most)),
        core.queue.size(),
        core.epoch.getOpaque() + core.counters.events,
        thread);
  }

  /**
   * The colors that wait.
   *
   * @param most entries of each lane that are read
   */
  static List<SeenColor> waiting(Core core, int most) {
    List<SeenColor> waiting = new ArrayList<>();
    core.queue.peek(
        most,
        color -> {
          if (color.isQueuedAt(core.index)) { // else the entry is stale
            waiting.add(SeenColor.waiting(color));
          }
        });
    return waiting;
  }

  @Override
  public List<StackTraceElement> stack() {
    return thread == null ? List.of() : List.of(thread.getStackTrace());
  }
}
