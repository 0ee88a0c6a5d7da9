package dev.mely.examples.proxy;

import dev.mely.Handler;
import dev.mely.Mely.Timer;
import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/** A timeout of inactivity. Activity costs one reading of the clock, and no new timer. */
final class Patience {
  private static final Handler<Patience> LOOK = Handler.of(Patience::look).named("Look");

  private final ProxyConnection connection;
  private final Runnable over;
  private @Nullable Timer timer;
  private Duration limit = Duration.ZERO;
  private long moved;

  /**
   * Does nothing until it is started.
   *
   * @param connection to whose color it belongs; aborted if the call throws
   */
  Patience(ProxyConnection connection, Runnable over) {
    this.connection = connection;
    this.over = over;
  }

  /** Starts, or restarts, with a timeout. */
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
      timer = null; // the runtime is shutting down, with all connections
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
      if (left <= 0 || timer == null) { // without a timer, there would be no other check
        connection.guarded(over);
      }
    }
  }
}
