package dev.mely.netty;

import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * The workers' threads wait here until the group has been built: either all workers run, or none.
 * Thread-safe.
 */
final class StartLatch {
  /** How long a thread waits before it checks whether the construction has been given up. */
  private static final long LOOK_MILLIS = 10;

  private final GroupState groupState;
  private final List<IoPoller> pollers;

  /** The group has been built, or its construction has failed. */
  private final CountDownLatch built = new CountDownLatch(1);

  /** The construction has failed. Written before {@link #built} is counted down. */
  private boolean cancelled;

  /**
   * @param pollers of all cores
   */
  StartLatch(GroupState groupState, List<IoPoller> pollers) {
    this.groupState = groupState;
    this.pollers = pollers;
  }

  /** There is a runtime, and its workers may run; if it is ending, they end by themselves. */
  void open() {
    built.countDown();
  }

  /** There is no runtime: threads that have been started end. */
  void cancel() {
    cancelled = true;
    built.countDown();
  }

  /**
   * Called first by a worker's thread: waits until all threads have been started. False if there is
   * no runtime, and the thread has to end.
   */
  boolean awaitStart() {
    boolean interrupted = false;
    while (built.getCount() != 0 && !interrupted && !isGivenUp()) {
      try {
        built.await(LOOK_MILLIS, TimeUnit.MILLISECONDS);
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (built.getCount() == 0) {
      return !cancelled;
    }
    groupState.setState(GroupState.SHUT_DOWN);
    return true; // the runtime has given up, and its workers will end
  }

  private boolean isGivenUp() {
    return pollers.stream().anyMatch(IoPoller::isClosed);
  }
}
