package dev.mely.netty;

/**
 * Runs the tail tasks of an event loop, which were added for the end of its iteration, see {@link
 * io.netty.channel.SingleThreadEventLoop#executeAfterEventLoopIteration}. It waits until the loop's
 * other tasks have run. Takes no room among the pending events: there is one of them.
 */
final class TailTask extends LoopTask {
  /** Color only: see {@link ColorTasks#waitForTasks}. */
  long waitsSince;

  /**
   * @param tails runs them
   */
  TailTask(Runnable tails) {
    super(tails, true, false);
  }
}
