package dev.mely.netty;

/**
 * The end of an iteration of the event loop: runs the tasks that were added for it, see {@link
 * io.netty.channel.SingleThreadEventLoop#executeAfterEventLoopIteration}. It waits until the loop's
 * other tasks have run. Takes no room: there is one of them.
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
