package dev.mely.netty;

import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Where the workers' threads wait until the group has been built: either all of them get to work,
 * or none. Thread-safe.
 */
final class StartGate {
  /** How long a thread that waits for the others does not look whether they will come. */
  private static final long LOOK_MILLIS = 10;

  private final Engine engine;
  private final List<IoPoller> pollers;

  /** The group has been built, or it is known that it cannot be. */
  private final CountDownLatch built = new CountDownLatch(1);

  /** There is no worker to run. Written before {@link #built} is counted down. */
  private boolean cancelled;

  /**
   * @param pollers of all cores
   */
  StartGate(Engine engine, List<IoPoller> pollers) {
    this.engine = engine;
    this.pollers = pollers;
  }

  /** There is a runtime, and its workers may run: also to end, if that is what it tells them. */
  void open() {
    built.countDown();
  }

  /** There is no runtime: threads that have been started end. */
  void cancel() {
    cancelled = true;
    built.countDown();
  }

  /**
   * Where a worker's thread begins: waits until all threads have been started. False if they cannot
   * be, and there is no worker to run.
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
    engine.setState(Engine.SHUT_DOWN);
    return true; // the runtime has given up, and tells its workers
  }

  private boolean isGivenUp() {
    return pollers.stream().anyMatch(IoPoller::isClosed);
  }
}
