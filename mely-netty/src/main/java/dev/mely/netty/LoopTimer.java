package dev.mely.netty;

import dev.mely.Handler;
import dev.mely.Timer;
import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * Wakes a color when the earliest of its scheduled tasks is due. Netty keeps the tasks, in a heap
 * of the event loop; the runtime keeps one timer for each loop that has any. A loop without
 * scheduled tasks has no object of this class.
 *
 * <p>A timer that comes too early, because its task was cancelled, finds nothing and is set anew:
 * cheaper than to move it with each schedule and cancel, which every idle-timeout does all the
 * time.
 *
 * <p>Confined to the color.
 */
final class LoopTimer {
  private static final Handler<LoopTimer> RING = Handler.of(LoopTimer::ring);

  private final ColorEventLoop loop;

  /** On the clock of Netty's ticker, in nanoseconds. */
  private final long deadline;

  private @Nullable Timer timer;

  private LoopTimer(ColorEventLoop loop, long deadline) {
    this.loop = loop;
    this.deadline = deadline;
  }

  /** Sets the loop's timer, if its earliest task is due before it. */
  static void arm(ColorEventLoop loop) {
    long next = loop.nextDeadline();
    LoopTimer current = loop.timer;
    if (next == ColorEventLoop.NO_DEADLINE) {
      if (current != null && loop.isVacant()) {
        disarm(loop); // its channel is gone: do not hold on to the loop until the timer ends
      }
      return;
    }
    if (current != null && current.deadline <= next) {
      return;
    }
    if (current != null) {
      current.cancel();
    } else {
      loop.engine().attend(loop);
    }
    LoopTimer earlier = new LoopTimer(loop, next);
    loop.timer = earlier;
    earlier.start();
  }

  static void disarm(ColorEventLoop loop) {
    LoopTimer current = loop.timer;
    if (current != null) {
      loop.timer = null;
      current.cancel();
      loop.neglect();
    }
  }

  private void start() {
    long delay = Math.max(0, deadline - loop.ticker().nanoTime());
    try {
      timer = loop.engine().mely().schedule(loop.color(), RING, this, Duration.ofNanos(delay));
    } catch (RejectedExecutionException e) {
      loop.dropScheduledTasks(); // the group shuts down
    }
  }

  private void ring() {
    if (loop.timer == this) {
      loop.timer = null;
    }
    loop.runExpired();
    arm(loop);
    if (loop.timer == null) {
      loop.neglect();
    }
  }

  private void cancel() {
    Timer t = timer;
    if (t != null) {
      t.cancel();
    }
  }
}
