package dev.mely.netty;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** When polls that do not wait go on reporting a channel that is in flight. */
class ReadinessTest {
  private final ModelSource source = new ModelSource();
  private final Readiness readiness = source.readiness;

  @Test
  void aFewReportsCostNoSystemCall() {
    for (int served = 0; served < 10; served++) {
      assertTrue(readiness.claim());
      report(8);
      assertTrue(source.armed, "masked for a moment's wait, time " + served);
      readiness.handled();
    }
  }

  @Test
  void whatWaitsForLongIsMaskedUntilItIsServed() {
    assertTrue(readiness.claim());
    report(100);
    assertFalse(source.armed);
    assertTrue(readiness.isMasked());
    readiness.handled();
    assertTrue(source.armed);
    assertTrue(readiness.claim(), "heard of again");
  }

  private void report(int times) {
    for (int i = 0; i < times; i++) {
      assertFalse(readiness.claim(), "in flight twice");
    }
  }
}
