package dev.mely.bench.baseline;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.ForkJoinTask;
import org.jspecify.annotations.Nullable;

/**
 * A color as a mailbox on a thread pool: one task while it is not empty.
 *
 * <pre>
 *   INBOX = null      idle, no task
 *   INBOX = EMPTY     there is a task; nothing new
 *   INBOX = job       there is a task; new jobs, youngest first
 * </pre>
 *
 * <p>It is itself the task, so it allocates nothing; it never completes, so it can be forked again.
 */
abstract class Mailbox extends ForkJoinTask<@Nullable Void> implements Runnable {
  private static final long serialVersionUID = 1;

  /** Number of jobs after which other tasks get their turn. */
  private static final int BATCH = 64;

  private static final Job EMPTY =
      new Job(dev.mely.Handler.of(Job::run)) {
        @Override
        public void run() {
          throw new IllegalStateException("not a job");
        }
      };

  private static final VarHandle INBOX = Padding.field(MethodHandles.lookup(), "inbox", Job.class);

  @SuppressWarnings("UnusedVariable") // through its VarHandle
  private transient @Nullable Job inbox;

  /** Jobs taken out by the task, oldest first. Plain: only the task accesses it. */
  private transient @Nullable Job head;

  /** Submits the task to the pool. */
  abstract void submit();

  /** Any thread. */
  final void post(Job job) {
    Job old;
    do {
      old = (Job) INBOX.getVolatile(this);
      job.next = old == EMPTY ? null : old;
    } while (!INBOX.weakCompareAndSet(this, old, job));
    if (old == null) {
      submit();
    }
  }

  /** Runs a batch. Returns whether there is more, for which the task must be run again. */
  final boolean runBatch() {
    for (int i = 0; i < BATCH; i++) {
      Job job = head != null ? head : takeAll();
      if (job == null) {
        // The task ends unless a job has arrived; the next producer submits it again.
        return !INBOX.compareAndSet(this, EMPTY, null);
      }
      head = job.next;
      job.next = null;
      job.run();
    }
    return true;
  }

  /** Empties the inbox; returns the oldest of its jobs, linked to the younger ones. */
  private @Nullable Job takeAll() {
    Job job = (Job) INBOX.getAndSet(this, EMPTY);
    Job oldest = null;
    while (job != null && job != EMPTY) {
      Job next = job.next;
      job.next = oldest;
      oldest = job;
      job = next;
    }
    return oldest;
  }

  @Override
  protected final boolean exec() {
    run();
    return false;
  }

  @Override
  public final @Nullable Void getRawResult() {
    return null;
  }

  @Override
  protected final void setRawResult(@Nullable Void value) {}
}
