package dev.mely;

import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Makes colors that have no number and no key. As an executor, it runs each task as the only event
 * of such a color, so tasks run in parallel.
 *
 * <p>A task that a worker submits starts at that core: a short one runs there, with what it needs
 * still in the cache, and a long one is worth a steal. Tasks of other threads are spread over the
 * cores. One handler runs all tasks, so what they cost is known before the next one begins.
 *
 * <p>A task takes 48 bytes for its color and 32 for its {@link Envelope}. Thread-safe.
 */
final class FreshColors implements Executor {
  private final Handler<Runnable> run =
      Handler.<Runnable>of(Runnable::run).background().named("tasks");
  private final Scheduler scheduler;
  private final AtomicInteger nextCore = new AtomicInteger();

  FreshColors(Scheduler scheduler) {
    this.scheduler = scheduler;
  }

  /** A new color. The cores take turns. */
  Color next() {
    int core = Math.floorMod(nextCore.getAndIncrement(), scheduler.cores());
    return scheduler.newColor(core, false);
  }

  @Override
  public void execute(Runnable task) {
    Core current = scheduler.currentCore();
    Color color = current == null ? next() : scheduler.newColor(current.index, false);
    scheduler.post(color, scheduler.node(color, run, task));
  }
}
