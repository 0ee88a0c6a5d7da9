package dev.mely.netty;

import dev.mely.Event;

/**
 * A task of an event loop: an event of the loop's color. Written before it is registered, read by
 * the color.
 */
class LoopTask extends Event {
  private final Runnable task;

  /**
   * Whether the loop submitted it to itself: the next I/O of the loop waits for it, see {@link
   * ColorTasks}.
   */
  private final boolean inside;

  /**
   * @param inside whether the loop submits it to itself
   * @param takesRoom whether it counts where pending events are bounded
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
