package dev.mely.nio;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import org.junit.jupiter.api.Test;

/** How an operation ends, one thread at a time. */
class OutcomeTest {
  private final Outcome<String> outcome = new Outcome<>();

  @Test
  void runs() {
    assertFalse(outcome.isDone());
    assertFalse(outcome.isCancelled());
    assertFalse(outcome.deliver());
    assertFalse(outcome.cancelEnded());
  }

  @Test
  void endsAndIsDeliveredOnce() {
    assertTrue(outcome.end("result", null));
    assertTrue(outcome.isDone());
    assertTrue(outcome.deliver());
    assertFalse(outcome.deliver());
    assertTrue(outcome.isDone());
    assertEquals("result", outcome.result());
    assertNull(outcome.failure());
    assertFalse(outcome.cancelRunning());
    assertFalse(outcome.cancelEnded());
    assertFalse(outcome.isCancelled());
  }

  @Test
  void theFirstEndCounts() {
    IOException why = new IOException("planted");
    assertTrue(outcome.end(null, why));
    assertFalse(outcome.end("too late", null));
    assertNull(outcome.result());
    assertSame(why, outcome.failure());
  }

  @Test
  void cancelledWhileItRuns() {
    assertTrue(outcome.cancelRunning());
    assertFalse(outcome.cancelRunning());
    assertTrue(outcome.isCancelled());
    assertTrue(outcome.isDone());
    assertFalse(outcome.end("too late", null));
    assertFalse(outcome.deliver());
    assertFalse(outcome.cancelEnded());
    assertNull(outcome.result());
  }

  @Test
  void cancelledWhenItHasEnded() {
    outcome.end("result", null);
    assertFalse(outcome.cancelRunning());
    assertTrue(outcome.cancelEnded());
    assertFalse(outcome.cancelEnded());
    assertTrue(outcome.isCancelled());
    assertFalse(outcome.deliver());
    assertEquals("result", outcome.result());
  }
}
