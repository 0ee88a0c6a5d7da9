package dev.mely.netty;

import dev.mely.Event;
import dev.mely.Handler;
import dev.mely.Mely.Timer;
import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * The timer of an event loop, set for the earliest of its scheduled tasks. Netty keeps these tasks
 * in a heap of the event loop; the runtime has one timer for each loop that has any. A loop without
 * scheduled tasks has no object of this class.
 *
 * <p>A timer that comes too early, because its task was cancelled, finds nothing and is set anew:
 * that is cheaper than to move it with each schedule and cancel, which every idle-timeout does all
 * the time.
 *
 * <p>As an event that waits for tasks it takes no room among the pending events. Confined to the
 * color.
 */
final class LoopTimer extends Event {
  private static final Handler<LoopTimer> RING = Handler.of(LoopTimer::ring).named("timers");

  private final ColorTasks loop;

  /** On the clock of Netty's ticker, in nanoseconds. */
  private final long deadline;

  private @Nullable Timer timer;

  /** See {@link ColorTasks#waitForTasks}. */
  private long waitsSince;

  private LoopTimer(ColorTasks loop, long deadline) {
    super(false);
    this.loop = loop;
    this.deadline = deadline;
  }

  /** Sets the loop's timer, if its earliest task is due before it. */
  static void arm(ColorTasks loop) {
    long next = loop.nextDeadline();
    LoopTimer current = loop.timer;
    if (next == ColorTasks.NO_DEADLINE) {
      if (current != null && loop.isVacant()) {
        disarm(loop); // its channel is gone, and a timer would keep the loop in memory
      }
      return;
    }
    if (current != null && current.deadline <= next) {
      return;
    }
    if (current != null) {
      current.cancel();
    } else {
      loop.registerForShutdown();
    }
    LoopTimer earlier = new LoopTimer(loop, next);
    loop.timer = earlier;
    earlier.start();
  }

  static void disarm(ColorTasks loop) {
    LoopTimer current = loop.timer;
    if (current != null) {
      loop.timer = null;
      current.cancel();
      loop.deregisterFromShutdown();
    }
  }

  boolean isDue(long now) {
    return deadline - now <= 0;
  }

  private void start() {
    long delay = Math.max(0, deadline - loop.ticker().nanoTime());
    try {
      timer = loop.postLater(RING, this, Duration.ofNanos(delay));
    } catch (RejectedExecutionException e) {
      loop.dropScheduledTasks(); // the group shuts down
    } catch (Throwable noMemory) {
      loop.timer = null; // else no later timer would be set
      loop.post(RING, this); // tries again, behind what waits in the color
    }
  }

  private void ring() {
    waitsSince = loop.waitForTasks(waitsSince);
    if (waitsSince != 0 && loop.requeue(RING, this)) {
      return;
    }
    if (loop.timer == this) {
      loop.timer = null;
    }
    loop.fetchScheduledTasks(loop.ticker().nanoTime());
    arm(loop);
    if (loop.timer == null) {
      loop.deregisterFromShutdown();
    }
  }

  private void cancel() {
    Timer t = timer;
    if (t != null) {
      t.cancel();
    }
  }
}
