package dev.mely;

/**
 * What an idle worker waits on, one per core. The default parks the thread; {@code mely-netty}
 * waits in an I/O handler.
 *
 * <p>The runtime calls {@link #poll} from one thread at a time, normally that of the core's worker.
 * When that worker is stuck in a handler, another may poll in its place if the poller {@linkplain
 * #isTransferable is transferable}; the hand-over happens-before the next poll.
 */
public interface Poller {
  /**
   * Looks for external events and registers them with the runtime.
   *
   * @param maxWaitNanos nanoseconds to wait for a first event: 0 = only look, {@link
   *     Long#MAX_VALUE} = until {@link #wakeup}; returning early is allowed
   * @return how many events were found, 0 or more
   * @throws Exception logged; the worker goes on
   */
  int poll(long maxWaitNanos) throws Exception;

  /**
   * Makes the current or the next waiting {@link #poll} return soon. Any thread, at any time; a
   * wake-up that comes before the wait is not lost. What it throws is logged, and it is called
   * again, three times in all.
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
     * Makes a poller.
     *
     * @param core number of the core, from 0
     * @return a poller for this core alone
     */
    Poller newPoller(int core);
  }
}
