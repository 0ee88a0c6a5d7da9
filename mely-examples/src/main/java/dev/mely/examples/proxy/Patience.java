package dev.mely.examples.proxy;

import dev.mely.Color;
import dev.mely.Handler;
import dev.mely.Mely;
import dev.mely.Timer;
import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * Calls once, when nothing has moved for a time. That something has moved costs a look at the
 * clock, and no timer. Belongs to its color.
 */
final class Patience {
  private static final Handler<Patience> LOOK = Handler.named("Look", Patience::look);

  private final Mely mely;
  private final Color color;
  private final Duration limit;
  private final Runnable over;
  private @Nullable Timer timer;
  private long moved;

  Patience(Mely mely, Color color, Duration limit, Runnable over) {
    this.mely = mely;
    this.color = color;
    this.limit = limit;
    this.over = over;
  }

  /** Begins to wait, anew if it does already. */
  void start() {
    stop();
    moved();
    schedule(limit.toNanos());
  }

  void moved() {
    moved = System.nanoTime();
  }

  void stop() {
    Timer running = timer;
    timer = null;
    if (running != null) {
      running.cancel();
    }
  }

  private void schedule(long nanos) {
    try {
      timer = mely.schedule(color, LOOK, this, Duration.ofNanos(nanos));
    } catch (RejectedExecutionException e) {
      timer = null; // the runtime ends, and all connections with it
    }
  }

  private void look() {
    if (timer == null) {
      return;
    }
    long left = limit.toNanos() - (System.nanoTime() - moved);
    timer = null;
    try {
      if (left > 0) {
        schedule(left);
      }
    } finally {
      if (left <= 0 || timer == null) { // or nobody would look again
        over.run();
      }
    }
  }
}
