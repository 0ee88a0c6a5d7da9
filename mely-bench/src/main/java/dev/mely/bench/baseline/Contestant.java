package dev.mely.bench.baseline;

import dev.mely.Handler;
import java.time.Duration;

/**
 * The common interface of all runtimes that are compared. Jobs of one color run one after the
 * other, in the order in which they were registered; jobs of different colors may run in parallel.
 *
 * @param <C> type of a color
 */
public interface Contestant<C> extends AutoCloseable {
  /**
   * Returns the number of workers.
   *
   * @return 1 or more
   */
  int cores();

  /**
   * Chooses the core on which a piece of work starts. Only in the preparation of a benchmark, by
   * one thread.
   *
   * @param core the benchmark's wish, from 0
   * @param work how long it takes, in any unit
   * @return the same core, unless this contestant splits work beforehand
   */
  default int place(int core, long work) {
    return core;
  }

  /**
   * Makes a color. Any thread.
   *
   * @param core where it starts, from 0; ignored if colors do not belong to cores
   * @return a new color
   */
  C newColor(int core);

  /**
   * Makes a color that is never stolen, if there is such a thing. Only for a few.
   *
   * @param core where it stays, from 0
   * @return a new color
   */
  C newPinnedColor(int core);

  /**
   * Moves an idle color to a core, if colors belong to cores. A color that is not idle may stay
   * where it is.
   *
   * @param core the new core, from 0
   */
  default void moveTo(C color, int core) {}

  /** Ends the use of a color. Called last, from one of its jobs. */
  default void retire(C color) {}

  /**
   * Registers a job, which must not be pending. Any thread.
   *
   * @param color its color
   * @param job the job
   */
  void register(C color, Job job);

  /**
   * Makes a kind of jobs, with declared cost.
   *
   * @param cost mean duration, as if known from profiling
   * @param penalty divisor of the cost for stealing decisions, 1 or more
   * @return the kind, for jobs
   */
  default Handler<Job> kind(Duration cost, int penalty) {
    return Handler.of(Job::run).cost(cost).penalty(penalty);
  }

  /**
   * Returns the state of the worker that runs the calling job. Only from within a job.
   *
   * @return its counters
   */
  Worker worker();

  /**
   * Returns the sum of the workers' counts.
   *
   * @return never more jobs than have run; the effects of counted jobs are visible (acquire)
   */
  long counted();

  /**
   * Returns the figures since the start.
   *
   * @return sums over all workers
   */
  Figures figures();

  /** Stops the workers. No job may be pending. */
  @Override
  void close();
}
