package dev.mely.netty.peers;

/** How one run of one test has ended. */
enum Outcome {
  PASSED,
  FAILED,
  /** It had not ended when its time was over, and its virtual machine was stopped. */
  HUNG,
  SKIPPED;

  boolean isBad() {
    return this == FAILED || this == HUNG;
  }
}
