package dev.mely.bench.baseline;

import com.google.common.util.concurrent.MoreExecutors;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;

/** A {@link ForkJoinPool}, and one of Guava's sequential executors per color on it. */
final class GuavaContestant extends PoolPeer<Executor> {
  GuavaContestant(int cores, boolean pinned) {
    super(cores, pinned);
  }

  @Override
  public Executor newColor(int core) {
    return MoreExecutors.newSequentialExecutor(pool);
  }

  @Override
  public void register(Executor color, Job job) {
    color.execute(job);
  }
}
