package dev.mely.examples.proxy;

import dev.mely.Handler;
import dev.mely.Mely.Timer;
import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * Calls once, when nothing has moved for a time. That something has moved costs a look at the
 * clock, and no timer.
 */
final class Patience {
  private static final Handler<Patience> LOOK = Handler.of(Patience::look).named("Look");

  private final ProxyConnection connection;
  private final Runnable over;
  private @Nullable Timer timer;
  private Duration limit = Duration.ZERO;
  private long moved;

  /**
   * Does nothing yet.
   *
   * @param connection to whose color it belongs, and which it costs if the call fails
   */
  Patience(ProxyConnection connection, Runnable over) {
    this.connection = connection;
    this.over = over;
  }

  /** Begins to wait for so long, anew if it does already. */
  void start(Duration time) {
    stop();
    limit = time;
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
      timer =
          connection.nio().mely().schedule(connection.color(), LOOK, this, Duration.ofNanos(nanos));
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
        connection.guarded(over);
      }
    }
  }
}
