package dev.mely.netty;

import dev.mely.Handler;
import dev.mely.Timer;
import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * Wakes a color when the earliest of its scheduled tasks is due. Netty keeps the tasks, in a heap
 * of the event loop; the runtime keeps one timer for each loop that has any.
 *
 * <p>A timer that comes too early, because its task was cancelled, finds nothing and is set anew:
 * cheaper than to move it with each schedule and cancel, which every idle-timeout does all the
 * time.
 *
 * <p>Confined to the color.
 */
final class LoopTimer {
  private static final Handler<Alarm> RING = Handler.of(Alarm::ring);

  private final ColorEventLoop loop;
  private @Nullable Alarm alarm;

  LoopTimer(ColorEventLoop loop) {
    this.loop = loop;
  }

  /** Sets the timer, if the earliest task is due before it. */
  void arm() {
    long next = loop.nextDeadline();
    Alarm current = alarm;
    if (next == ColorEventLoop.NO_DEADLINE) {
      if (current != null && loop.isVacant()) {
        disarm(); // its channel is gone: do not hold on to the loop until the timer ends
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
    Alarm earlier = new Alarm(this, next);
    alarm = earlier;
    long delay = Math.max(0, next - loop.ticker().nanoTime());
    try {
      earlier.timer =
          loop.engine().mely().schedule(loop.color(), RING, earlier, Duration.ofNanos(delay));
    } catch (RejectedExecutionException e) {
      loop.dropScheduledTasks(); // the group shuts down
    }
  }

  boolean isArmed() {
    return alarm != null;
  }

  void disarm() {
    Alarm current = alarm;
    if (current != null) {
      alarm = null;
      current.cancel();
      loop.neglect();
    }
  }

  private void ring(Alarm rung) {
    if (rung == alarm) {
      alarm = null;
    }
    loop.runExpired();
    arm();
    if (alarm == null) {
      loop.neglect();
    }
  }

  /** One setting of the timer. */
  private static final class Alarm {
    private final LoopTimer owner;

    /** On the clock of Netty's ticker, in nanoseconds. */
    private final long deadline;

    private @Nullable Timer timer;

    Alarm(LoopTimer owner, long deadline) {
      this.owner = owner;
      this.deadline = deadline;
    }

    void ring() {
      owner.ring(this);
    }

    void cancel() {
      Timer t = timer;
      if (t != null) {
        t.cancel();
      }
    }
  }
}
