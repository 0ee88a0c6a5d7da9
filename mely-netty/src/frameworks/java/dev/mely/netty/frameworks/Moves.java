package dev.mely.netty.frameworks;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Shows that a test class has tested what it says: that callbacks changed threads. Not in each
 * test: while a single worker gets the CPU it may run all there is.
 */
final class Moves {
  private final AtomicInteger noted = new AtomicInteger();
  private final AtomicInteger moved = new AtomicInteger();

  /** Notes how a sequence of callbacks has fared; those that need not move do not count. */
  void note(Setting setting, Serial serial) {
    if (setting.isMigrating()) {
      noted.getAndIncrement();
      if (serial.threads() > 1) {
        moved.getAndIncrement();
      }
    }
  }

  /** Fails if nothing has moved although each activation draws a core. */
  void assertSome() {
    // None noted: somebody runs a single test.
    assertTrue(
        noted.get() == 0 || moved.get() > 0,
        () -> "none of " + noted + " sequences has changed threads");
  }
}
