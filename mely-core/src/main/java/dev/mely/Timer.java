package dev.mely;

/** A pending registration: made by {@link Mely#schedule} and its siblings. Thread-safe. */
public interface Timer {
  /**
   * Cancels the timer. An event that it has registered already still runs.
   *
   * @return true if this call cancelled it: no (further) event will be registered
   */
  boolean cancel();

  /**
   * Returns whether the timer will register no further event.
   *
   * @return true once cancelled, expired (one-shot) or dropped by shutdown
   */
  boolean isDone();
}
