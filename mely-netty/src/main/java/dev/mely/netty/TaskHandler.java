package dev.mely.netty;

import dev.mely.Handler;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * Runs the tasks of one event loop. One for each, so that the measured cost is that of the loop.
 */
final class TaskHandler extends Handler<Runnable> {
  private final ColorEventLoop loop;

  /**
   * @param declared by those whose tasks they are
   * @param estimate of what is not declared
   */
  TaskHandler(ColorEventLoop loop, HandlerCosts declared, @Nullable Duration estimate) {
    super(declared.cost(), declared.penalty(), estimate);
    this.loop = loop;
  }

  @Override
  public void handle(Runnable task) {
    loop.serve(task);
  }

  @Override
  public String toString() {
    return "tasks of " + loop;
  }

  /** The group has terminated first. Whoever waits for the task must not wait for ever. */
  @Override
  protected void rejected(Runnable task) {
    if (task instanceof Future<?> future) {
      try {
        future.cancel(false);
      } catch (RejectedExecutionException e) {
        // It is cancelled; it could not be taken out of the scheduled tasks, which are gone.
      }
    }
  }
}
