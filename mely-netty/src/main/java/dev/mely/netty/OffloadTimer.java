package dev.mely.netty;

import dev.mely.Handler;
import dev.mely.Mely.Timer;
import io.netty.util.concurrent.DefaultPromise;
import io.netty.util.concurrent.ScheduledFuture;
import java.util.concurrent.Callable;
import java.util.concurrent.Delayed;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A scheduled task of an {@link OffloadLoop}. Its promise completes in the color; the task is
 * cancelled when the runtime ends. Thread-safe.
 *
 * @param <V> class of the result
 */
final class OffloadTimer<V> extends DefaultPromise<V> implements ScheduledFuture<V> {
  private static final Handler<OffloadTimer<?>> RUN = new Runner();

  private final OffloadLoop loop;
  private final Callable<V> task;

  /** In nanoseconds. Above 0: the rate; below: the delay after each run; 0: it runs once. */
  private final long period;

  /** On the clock of {@link System#nanoTime}. Written before each registration of the timer. */
  private volatile long deadline;

  private volatile @Nullable Timer timer;

  OffloadTimer(OffloadLoop loop, Callable<V> task, long period) {
    super(loop);
    this.loop = loop;
    this.task = task;
    this.period = period;
  }

  /** Waits for the first run. */
  OffloadTimer<V> start(long delayNanos) {
    long delay = Math.max(0, delayNanos);
    deadline = System.nanoTime() + delay;
    timer = loop.postLater(RUN, this, delay);
    return this;
  }

  /** In the color. */
  private void run() {
    if (period == 0 ? !setUncancellable() : isDone()) {
      return;
    }
    V result;
    try {
      result = task.call();
    } catch (Throwable t) {
      tryFailure(t);
      return;
    }
    if (period == 0) {
      trySuccess(result);
    } else if (!isDone()) {
      again();
    }
  }

  private void again() {
    long now = System.nanoTime();
    deadline = period > 0 ? deadline + period : now - period;
    try {
      timer = loop.postLater(RUN, this, Math.max(0, deadline - now));
    } catch (Throwable t) {
      cancel(false); // the runtime ends
      return;
    }
    if (isDone()) {
      cancelTimer(); // it was cancelled as it was set
    }
  }

  @Override
  public boolean cancel(boolean mayInterruptIfRunning) {
    boolean cancelled = super.cancel(mayInterruptIfRunning);
    cancelTimer();
    return cancelled;
  }

  private void cancelTimer() {
    Timer pending = timer;
    if (pending != null && isCancelled()) {
      pending.cancel();
    }
  }

  @Override
  public long getDelay(TimeUnit unit) {
    return unit.convert(Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
  }

  @Override
  public int compareTo(Delayed other) {
    return Long.compare(getDelay(TimeUnit.NANOSECONDS), other.getDelay(TimeUnit.NANOSECONDS));
  }

  private static final class Runner extends Handler<OffloadTimer<?>> {
    Runner() {
      super(Handler.of(event -> {}).background());
    }

    @Override
    public void handle(OffloadTimer<?> timer) {
      timer.run();
    }

    @Override
    protected void rejected(OffloadTimer<?> timer) {
      timer.cancel(false);
    }

    @Override
    protected String stage() {
      return "timers of off-loaded handlers";
    }
  }
}
