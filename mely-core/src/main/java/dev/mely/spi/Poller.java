package dev.mely.spi;

/**
 * What an idle worker waits on, one per core: a transport's view of the outside world. The default
 * parks the thread.
 *
 * <p>One thread at a time is in {@link #poll} or {@link #close}, and what one call has written is
 * visible to the next. Normally that is the core's worker. While that worker is stuck in a handler,
 * an idle worker polls in its place if the poller {@linkplain #isTransferable is transferable}.
 */
public interface Poller {
  /**
   * Looks for external events and registers them with the runtime. Called by a busy worker between
   * two batches, without waiting, and by a worker that has found nothing to run or to steal.
   *
   * @param maxWaitNanos nanoseconds to wait for a first event: 0 = only look, {@link
   *     Long#MAX_VALUE} = until {@link #wakeup}; returning early is allowed
   * @throws Exception reported to the error handler; the worker goes on
   */
  void poll(long maxWaitNanos) throws Exception;

  /**
   * Makes the current or the next waiting {@link #poll} return soon. Any thread, at any time; a
   * wake-up that comes before the wait must not be lost. What it throws is reported to the error
   * handler, and it is called again, three times in all.
   */
  void wakeup();

  /**
   * Returns whether another thread than the core's own may poll.
   *
   * @return true by default
   */
  default boolean isTransferable() {
    return true;
  }

  /**
   * Releases what the poller holds. Called once, after the last poll; also if the runtime could not
   * be built.
   */
  default void close() {}

  /** Makes the poller of each core. */
  @FunctionalInterface
  interface Factory {
    /**
     * Makes a poller. Called by the thread that builds the runtime, in the order of the cores.
     *
     * @param core number of the core, from 0
     * @return a poller for this core alone
     */
    Poller newPoller(int core);
  }
}
