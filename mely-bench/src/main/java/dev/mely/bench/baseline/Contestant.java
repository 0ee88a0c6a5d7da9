package dev.mely.bench.baseline;

import dev.mely.Handler;
import java.time.Duration;

/**
 * A runtime of colored events: what all that are compared have in common. Jobs of one color run one
 * after the other, in the order in which they were registered; jobs of different colors may run in
 * parallel.
 *
 * @param <C> what stands for a color
 */
public interface Contestant<C> extends AutoCloseable {
  /**
   * Returns the number of workers.
   *
   * @return 1 or more
   */
  int cores();

  /**
   * Says where a piece of work had best begin, before colors are made for it. Only while a
   * benchmark is prepared, by one thread.
   *
   * @param core where the benchmark wants it, from 0
   * @param work how long it takes; only how pieces compare is of interest
   * @return the same core, unless work is split beforehand here
   */
  default int place(int core, long work) {
    return core;
  }

  /**
   * Makes a color. Any thread.
   *
   * @param core where it is to start, from 0; of no effect where colors have no place
   * @return a new color
   */
  C newColor(int core);

  /**
   * Makes a color that is never stolen, where there is such a thing. Not for many.
   *
   * @param core where it is to stay, from 0
   * @return a new color
   */
  C newPinnedColor(int core);

  /**
   * Moves an idle color back to a core, where colors have a place. A color that is not idle may
   * stay where it is.
   *
   * @param core where it is to be, from 0
   */
  default void moveTo(C color, int core) {}

  /** Says that a color will not be used again. Called last, from a job of its own. */
  default void retire(C color) {}

  /**
   * Registers a job, which must not be pending. Any thread.
   *
   * @param color its color
   * @param job what to run
   */
  void register(C color, Job job);

  /**
   * Makes a kind of jobs: what the runtime is told of their cost beforehand.
   *
   * @param cost how long one takes, on average, as if after profiling
   * @param penalty divisor of the cost in the eyes of a thief, 1 or more
   * @return to be given to jobs
   */
  default Handler<Job> kind(Duration cost, int penalty) {
    return Handler.of(Job::run).cost(cost).penalty(penalty);
  }

  /**
   * Returns what belongs to the worker that runs the calling job.
   *
   * @return its counters; only from within a job
   */
  Worker worker();

  /**
   * Adds up what the workers have counted so far.
   *
   * @return never more than have run; who sees a job counted sees what it did
   */
  long counted();

  /**
   * Returns what has been done since the start.
   *
   * @return sums over all workers
   */
  Figures figures();

  /** Ends the workers. Nothing may be pending. */
  @Override
  void close();
}
