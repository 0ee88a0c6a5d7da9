package dev.mely.netty;

import dev.mely.Handler;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;

/**
 * Runs the tasks of one event loop. Each loop has its own, so that what is measured is the cost of
 * that loop.
 */
final class TaskHandler extends Handler<LoopTask> {
  private final ColorTasks loop;

  /**
   * @param like what is known of the tasks before they have run
   */
  TaskHandler(ColorTasks loop, Handler<?> like) {
    super(like);
    this.loop = loop;
  }

  @Override
  public void handle(LoopTask task) {
    loop.serve(task);
  }

  @Override
  protected String stage() {
    return loop.stage();
  }

  /** Empty: of a task it is not known which handler's code it runs. */
  @Override
  protected List<Class<?>> parts() {
    return List.of();
  }

  @Override
  public String toString() {
    return "tasks of " + loop;
  }

  @Override
  protected void rejected(LoopTask task) {
    loop.dropped(task);
  }

  /** The group ends before the task could run: threads may wait for its future. */
  static void cancel(Runnable task) {
    if (task instanceof Future<?> future) {
      try {
        future.cancel(false);
      } catch (RejectedExecutionException e) {
        // It is cancelled. It could not be removed from the scheduled tasks, which are gone.
      }
    }
  }
}
