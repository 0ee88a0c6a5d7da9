package dev.mely;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** How much must wait before what is not worthy is stolen. */
class BacklogTest {
  private static final long USUAL = 1_000;
  private static final long EVERY = 4_000_000;

  private final Backlog backlog = new Backlog();

  @Test
  void fewAreNeverEnough() {
    assertFalse(backlog.isLong(Backlog.LEAST - 1));
    assertTrue(backlog.isLong(Backlog.LEAST));
  }

  @Test
  void stealThatTakesLongerThanHalfOfTheWaitProvesNothing() {
    assertTrue(backlog.observe(10, 5 * USUAL, USUAL));
    assertTrue(backlog.isLong(Backlog.LEAST));
    assertFalse(backlog.observe(10, 5 * USUAL + 1, USUAL));
    assertFalse(backlog.isLong(2 * Backlog.LEAST - 1));
    assertTrue(backlog.isLong(2 * Backlog.LEAST));
  }

  /** However many wait: taking one costs its own core as much as running it. */
  @Test
  void shortEventsProveNothing() {
    assertFalse(backlog.observe(50_000, 100, Worthiness.MIN_STEAL_NANOS - 1));
    assertTrue(backlog.observe(50_000, 100, Worthiness.MIN_STEAL_NANOS));
  }

  @Test
  void whoProvesItselfIsTrustedAgain() {
    for (int i = 0; i < 3; i++) {
      backlog.disprove();
    }
    assertFalse(backlog.isLong(8 * Backlog.LEAST - 1));
    backlog.observe(100, USUAL, USUAL);
    assertTrue(backlog.isLong(4 * Backlog.LEAST));
    for (int i = 0; i < 10; i++) {
      backlog.observe(100, USUAL, USUAL);
    }
    assertTrue(backlog.isLong(Backlog.LEAST));
    assertFalse(backlog.isLong(Backlog.LEAST - 1));
  }

  /** Else a load of short events would be tried, and a core with a long queue asked, for ever. */
  @Test
  void failuresEndInNoLookAtAll() {
    int tries = 0;
    while (backlog.isLong(Integer.MAX_VALUE)) {
      assertTrue(backlog.mayBeLong());
      backlog.observe(50_000, 100, 43);
      tries++;
    }
    assertEquals(10, tries);
    assertFalse(backlog.mayBeLong());
    assertFalse(backlog.mayCall(Integer.MAX_VALUE));
  }

  @Test
  void triesAgainWhenItHasWornOffAndOnlyThen() {
    for (int i = 0; i < 40; i++) {
      backlog.disprove();
    }
    long now = 10 * EVERY;
    backlog.forget(now, EVERY);
    assertFalse(backlog.mayBeLong(), "it is twice too much");
    for (int i = 1; i < 16; i++) {
      backlog.forget(now + i * EVERY, EVERY);
    }
    assertTrue(backlog.mayBeLong());
    backlog.disprove();
    now += 15 * EVERY;
    backlog.forget(now + EVERY - 1, EVERY);
    assertFalse(backlog.mayBeLong(), "too early");
    for (int i = 1; i < 200; i++) {
      backlog.forget(now + i * EVERY, EVERY);
    }
    assertTrue(backlog.isLong(Backlog.LEAST));
    assertFalse(backlog.isLong(Backlog.LEAST - 1));
  }

  /** Who is called and finds nothing to prove must not be called again and again. */
  @Test
  void callsAreOnCredit() {
    int calls = 0;
    while (backlog.mayCall(100)) {
      calls++;
    }
    assertEquals(4, calls, "at 4, 8, 16 and 32 of half of them");
    backlog.observe(100, USUAL, USUAL);
    assertTrue(backlog.mayCall(100));
    assertFalse(backlog.mayCall(100));
  }

  @Test
  void callTakesTwiceAsMuchAsASteal() {
    assertFalse(backlog.mayCall(2 * Backlog.LEAST - 1));
    assertTrue(backlog.mayCall(2 * Backlog.LEAST));
  }
}
