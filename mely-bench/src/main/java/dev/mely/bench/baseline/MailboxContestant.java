package dev.mely.bench.baseline;

import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinTask;

/**
 * The best use of a {@link ForkJoinPool}: per color a mailbox that is its own task, with two atomic
 * operations for a single event and no allocation.
 */
final class MailboxContestant extends PoolPeer<Mailbox> {
  MailboxContestant(int cores, boolean pinned) {
    super(cores, pinned);
  }

  @Override
  public Mailbox newColor(int core) {
    return new PoolMailbox(pool);
  }

  @Override
  public void register(Mailbox color, Job job) {
    color.post(job);
  }

  private static final class PoolMailbox extends Mailbox {
    private static final long serialVersionUID = 1;

    private final transient ForkJoinPool pool;

    PoolMailbox(ForkJoinPool pool) {
      this.pool = pool;
    }

    @Override
    @SuppressWarnings("FutureReturnValueIgnored") // it never completes
    void submit() {
      if (ForkJoinTask.getPool() == pool) {
        fork();
      } else {
        pool.execute((ForkJoinTask<?>) this);
      }
    }

    @Override
    public void run() {
      if (runBatch()) {
        submit();
      }
    }
  }
}
