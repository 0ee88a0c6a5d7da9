package dev.mely.netty;

import dev.mely.Event;

/**
 * A task of an event loop, as the event of the loop's color.
 *
 * <p>Written before it is registered, read by the color.
 */
class LoopTask extends Event {
  private final Runnable task;

  /**
   * Whether the loop itself submitted it: the next I/O of the loop waits for it, see {@link
   * ColorTasks}.
   */
  private final boolean inside;

  /**
   * @param inside whether the loop itself submits it
   * @param takesRoom where pending events are bounded
   */
  LoopTask(Runnable task, boolean inside, boolean takesRoom) {
    super(takesRoom);
    this.task = task;
    this.inside = inside;
  }

  final Runnable task() {
    return task;
  }

  final boolean isInside() {
    return inside;
  }

  @Override
  public String toString() {
    return task.toString();
  }
}
