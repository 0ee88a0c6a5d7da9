package dev.mely.bench.baseline;

import dev.mely.Event;
import dev.mely.Handler;
import org.jspecify.annotations.Nullable;

/**
 * An event that every contestant can queue without allocation: it has the links of all, that of
 * Mely in the superclass. Its owner reuses it, as the paper's runtime reuses pooled events. It is
 * unlinked before it runs, so that it may register itself again.
 */
public abstract class Job extends Event implements Runnable {
  /** Cost and penalty. */
  final Handler<Job> kind;

  /** The next job of its queue; younger or older, depending on the queue. */
  @Nullable Job next;

  /** Libasync: its color. */
  @Nullable LibasyncColor color;

  /** Spinlock Mely: its contribution to its color's time left. */
  long weight;

  /**
   * Makes a job that is not pending.
   *
   * @param kind from {@link Contestant#kind}
   */
  protected Job(Handler<Job> kind) {
    this.kind = kind;
  }

  /** Cost and penalty; also Mely's handler. */
  public final Handler<Job> kind() {
    return kind;
  }
}
