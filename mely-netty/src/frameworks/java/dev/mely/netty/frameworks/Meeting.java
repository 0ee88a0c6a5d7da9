package dev.mely.netty.frameworks;

import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Two handlers that must run at the same time: each waits for the other. */
final class Meeting {
  private final CyclicBarrier both = new CyclicBarrier(2);

  /** Blocks the handler until the other has come. */
  String join() {
    return join(TestGroup.PATIENCE_SECONDS);
  }

  /**
   * The same.
   *
   * @return "met", or why the other has not come
   */
  String join(long seconds) {
    try {
      both.await(seconds, TimeUnit.SECONDS);
      return "met";
    } catch (InterruptedException | BrokenBarrierException | TimeoutException e) {
      return e.toString();
    }
  }
}
