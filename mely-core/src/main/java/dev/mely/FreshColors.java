package dev.mely;

import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Makes colors that have no number and no key, and knows where they had better begin. As an
 * executor, it runs each task as the only event of such a color, so tasks run in parallel.
 *
 * <p>A task that a worker submits begins at that core if it is shorter than a steal, with what it
 * needs still in the cache; else where fewer colors wait. Tasks of other threads are spread over
 * the cores. One handler runs all tasks, so what they cost is known before the next one begins.
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

  /**
   * The caller's core or another one that is drawn: the one at which fewer colors wait. The choice
   * of two keeps queues nearly as even as a look at all of them would.
   *
   * @param here null: the caller is no worker, and two are drawn
   */
  int emptierCore(@Nullable Core here) {
    int cores = scheduler.cores();
    int one = here == null ? scheduler.host.random(cores) : here.index;
    if (cores == 1) {
      return one;
    }
    int other = (one + 1 + scheduler.host.random(cores - 1)) % cores;
    return waiting(other) < waiting(one) ? other : one;
  }

  private int waiting(int core) {
    return scheduler.core(core).queue.size();
  }

  @Override
  public void execute(Runnable task) {
    Color color = colorOfTask(scheduler.currentCore());
    scheduler.post(color, scheduler.node(color, run, task));
  }

  private Color colorOfTask(@Nullable Core here) {
    if (here == null) {
      return next();
    }
    boolean longer = run.costNanos() > scheduler.price.stealNanos();
    return scheduler.newColor(longer ? emptierCore(here) : here.index, false);
  }
}
