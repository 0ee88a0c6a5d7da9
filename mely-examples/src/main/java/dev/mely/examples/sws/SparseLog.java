package dev.mely.examples.sws;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;

/**
 * Rate-limited warnings: at most one in ten seconds, with the number of suppressed ones.
 * Thread-safe.
 */
final class SparseLog {
  private static final long PERIOD_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final Logger log;
  private final AtomicLong next = new AtomicLong(System.nanoTime());
  private final AtomicLong silent = new AtomicLong();

  SparseLog(Logger log) {
    this.log = log;
  }

  /** Warns, unless the last warning was less than ten seconds ago. */
  void warn(String format, Object... arguments) {
    long now = System.nanoTime();
    long due = next.get();
    if (now - due < 0 || !next.compareAndSet(due, now + PERIOD_NANOS)) {
      silent.incrementAndGet();
      return;
    }
    long before = silent.getAndSet(0);
    log.warn(before == 0 ? format : format + " (and " + before + " times more)", arguments);
  }
}
