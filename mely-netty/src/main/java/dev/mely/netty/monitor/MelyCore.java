package dev.mely.netty.monitor;

import dev.mely.report.ColorState;
import dev.mely.report.CoreState;
import dev.mely.report.Statistics.PerCore;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What is seen of one core of a group of Mely's, in one second. */
final class MelyCore {
  private final String name;
  private final StuckWatch stuck = new StuckWatch();
  private long waiting;

  MelyCore(String name) {
    this.name = name;
  }

  void beginSecond() {
    waiting = 0;
  }

  void look(CoreState state, long now) {
    waiting += state.colorsWaiting();
    stuck.look(state.running() != null, state.progress(), now);
  }

  /**
   * Tells it.
   *
   * @param state at the end of the time
   * @param then what had been counted at its beginning
   * @param counted what has been counted at its end
   * @param nanos how long it was
   * @param looks that it had
   */
  CoreFigures take(
      CoreState state, PerCore then, PerCore counted, long now, long nanos, int looks) {
    double parked = (double) (counted.parkedNanos() - then.parkedNanos()) / nanos;
    double perSecond = 1e9 / nanos;
    @Nullable ColorState runs = state.running();
    long stuckMillis = stuck.stuckMillis(now);
    return new CoreFigures(
        name,
        Math.min(1, Math.max(0, 1 - parked)),
        (double) waiting / looks,
        (counted.events() - then.events()) * perSecond,
        (counted.colorsStolen() - then.colorsStolen()) * perSecond,
        runs == null || runs.handler() == null ? null : Tallies.text(runs.handler()),
        stuckMillis,
        stuckMillis == 0 ? List.of() : state.stack());
  }
}
