package dev.mely.kafka;

import java.util.concurrent.CountDownLatch;

/** Holds up the handlers that pass it, until the test opens it. */
final class Gate {
  private final CountDownLatch begun = new CountDownLatch(1);
  private final CountDownLatch open = new CountDownLatch(1);

  /** A handler: waits until the gate is open. */
  void pass() throws InterruptedException {
    begun.countDown();
    ConsumerBed.await(open);
  }

  /** The test: waits until a handler is there. */
  void awaitHandler() throws InterruptedException {
    ConsumerBed.await(begun);
  }

  void open() {
    open.countDown();
  }
}
