package dev.mely.bench.baseline;

import com.google.common.util.concurrent.MoreExecutors;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;

/** A {@link ForkJoinPool}, and one of Guava's sequential executors per color on it. */
public final class GuavaContestant implements Contestant<Executor> {
  private final PoolCrew members;
  private final int cores;

  /**
   * Starts the pool.
   *
   * @param cores number of workers, 1 or more
   * @param pinned whether each has a CPU of its own
   */
  public GuavaContestant(int cores, boolean pinned) {
    this.cores = cores;
    this.members = new PoolCrew(cores, pinned);
  }

  @Override
  public int cores() {
    return cores;
  }

  @Override
  public Executor newColor(int core) {
    return MoreExecutors.newSequentialExecutor(members.pool);
  }

  @Override
  public Executor newPinnedColor(int core) {
    return newColor(core);
  }

  @Override
  public void register(Executor color, Job job) {
    color.execute(job);
  }

  @Override
  public Worker worker() {
    return Crew.current();
  }

  @Override
  public long counted() {
    return members.crew.counted();
  }

  @Override
  public Figures figures() {
    return members.figures();
  }

  @Override
  public void close() {
    members.close();
  }
}
