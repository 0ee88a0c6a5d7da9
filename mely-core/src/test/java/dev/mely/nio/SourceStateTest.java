package dev.mely.nio;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** A source's state, one thread at a time: which thread must look after which change. */
class SourceStateTest {
  private final SourceState state = new SourceState();

  @Test
  void beginsPaused() {
    assertFalse(state.isActive());
    assertFalse(state.isCancelled());
    assertFalse(state.takeOff());
    assertFalse(state.land());
  }

  /** The thread that resumes it looks, unless it is active already. */
  @Test
  void resumeArms() {
    assertTrue(state.resume());
    assertTrue(state.isActive());
    assertFalse(state.resume());
    state.pause();
    assertFalse(state.isActive());
    assertTrue(state.resume());
  }

  @Test
  void oneEventAtATime() {
    state.resume();
    assertTrue(state.takeOff());
    assertFalse(state.takeOff());
    assertTrue(state.isActive());
    assertTrue(state.land());
    assertFalse(state.land());
    assertTrue(state.takeOff());
  }

  /** What is in flight looks when it lands, so that who resumes need not. */
  @Test
  void resumeWhileInFlightIsLeftToTheLanding() {
    state.resume();
    state.takeOff();
    state.pause();
    assertFalse(state.takeOff());
    assertFalse(state.resume());
    assertTrue(state.land());
  }

  @Test
  void pausedSourceLandsUnarmed() {
    state.resume();
    state.takeOff();
    state.pause();
    assertFalse(state.land());
    assertFalse(state.takeOff());
    assertTrue(state.resume());
    assertTrue(state.takeOff());
  }

  @Test
  void cancelIsForGood() {
    state.resume();
    state.takeOff();
    assertTrue(state.cancel());
    assertFalse(state.cancel());
    assertTrue(state.isCancelled());
    assertFalse(state.isActive());
    assertFalse(state.land());
    assertFalse(state.resume());
    assertFalse(state.takeOff());
    state.pause();
    assertFalse(state.resume());
    assertTrue(state.isCancelled());
  }

  @Test
  void pausedSourceMayBeCancelled() {
    assertTrue(state.cancel());
    assertFalse(state.resume());
    assertEquals(false, state.isActive());
  }
}
