package dev.mely.netty;

import dev.mely.Handler;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * Runs the tasks of one event loop. One for each, so that the measured cost is that of the loop.
 */
final class TaskHandler extends Handler<LoopTask> {
  private final ColorTasks loop;

  /**
   * @param declared by those whose tasks they are
   * @param estimate of what is not declared
   */
  TaskHandler(ColorTasks loop, HandlerCosts declared, @Nullable Duration estimate) {
    super(declared.begin(estimate));
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

  /** Whose code tasks run is not to be known. */
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

  /** The group has terminated first. Whoever waits for the task must not wait for ever. */
  static void cancel(Runnable task) {
    if (task instanceof Future<?> future) {
      try {
        future.cancel(false);
      } catch (RejectedExecutionException e) {
        // It is cancelled; it could not be taken out of the scheduled tasks, which are gone.
      }
    }
  }
}
