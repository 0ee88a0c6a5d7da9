package dev.mely;

/** A pending registration: made by {@link Mely#schedule} and its siblings. Thread-safe. */
public interface Timer {
  /**
   * Cancels the timer. An event that waits for its color already will not run either; one that is
   * running is not disturbed.
   *
   * @return true if this call cancelled it: its handler will not be called (again)
   */
  boolean cancel();

  /**
   * Returns whether the timer will register no further event.
   *
   * @return true once cancelled, expired (one-shot) or dropped by shutdown
   */
  boolean isDone();
}
