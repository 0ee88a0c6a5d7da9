package dev.mely.bench.baseline;

import dev.mely.Event;
import dev.mely.Handler;
import org.jspecify.annotations.Nullable;

/**
 * An event that every contestant can queue without allocating: each finds its link here, Mely in
 * the superclass. Its owner uses it again and again, which is to Java what the paper's pools of
 * events are to C. It is detached before it runs, so that it may register itself anew.
 */
public abstract class Job extends Event implements Runnable {
  /** Cost and penalty. */
  final Handler<Job> kind;

  /** The next younger, or next older, one of the queue that it is in. */
  @Nullable Job next;

  /** Libasync: its color. */
  @Nullable LibasyncColor color;

  /** Spinlock Mely: what it has added to its color's time left. */
  long weight;

  /**
   * Makes a job that is not pending.
   *
   * @param kind from {@link Contestant#kind}
   */
  protected Job(Handler<Job> kind) {
    this.kind = kind;
  }

  /** Cost and penalty, and who runs it. */
  public final Handler<Job> kind() {
    return kind;
  }
}
