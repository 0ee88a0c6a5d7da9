package dev.mely;

import dev.mely.report.ColorState;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A color, as it was when it was read. */
record SeenColor(Color color, @Nullable Handler<?> handler, int pending, long pendingNanos)
    implements ColorState {
  /** One that waits, or runs, at a core. */
  static SeenColor waiting(Color color) {
    return new SeenColor(color, color.nextHandler(), color.pending(), color.weight());
  }

  /**
   * The one that runs.
   *
   * @param handler that runs
   */
  static SeenColor running(Color color, @Nullable Handler<?> handler) {
    return new SeenColor(color, handler, color.pending(), color.weight());
  }

  @Override
  public String stage() {
    return handler == null ? "" : handler.stage();
  }

  @Override
  public List<Class<?>> parts() {
    return handler == null ? List.of() : handler.parts();
  }

  @Override
  public long costNanos() {
    return handler == null ? 0 : handler.cost();
  }

  @Override
  public int penalty() {
    return handler == null ? 1 : handler.divisor();
  }
}
