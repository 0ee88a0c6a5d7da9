package dev.mely.report;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** A color that runs, or waits for its core, as it was when it was read: see {@link CoreState}. */
public interface ColorState {
  /**
   * Returns the color.
   *
   * @return a {@code dev.mely.Color}
   */
  Object color();

  /**
   * Returns the handler that runs, or of the event that is next.
   *
   * @return a {@code dev.mely.Handler}; null: there is none any more
   */
  @Nullable Object handler();

  /**
   * Returns the name of the stage that the handler is, see {@code dev.mely.Handler#stage}.
   *
   * @return a name; empty if there is no handler
   */
  String stage();

  /**
   * Returns whose code the handler runs, see {@code dev.mely.Handler#parts}.
   *
   * @return classes, in the order in which they have their turn; may be empty
   */
  List<Class<?>> parts();

  /**
   * Returns how many of the color's events are pending.
   *
   * @return 0 or more
   */
  int pending();

  /**
   * Returns how much work that is: the handlers' costs, each divided by its penalty.
   *
   * @return nanoseconds
   */
  long pendingNanos();

  /**
   * Returns what the handler costs, declared or measured.
   *
   * @return nanoseconds; 0: it is not known
   */
  long costNanos();

  /**
   * Returns the handler's penalty, declared or measured.
   *
   * @return 1 or more
   */
  int penalty();
}
