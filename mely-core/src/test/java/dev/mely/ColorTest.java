package dev.mely;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.openjdk.jol.info.ClassLayout;

/** The color's state and what it weighs, one operation at a time (requirements A1, A6, B9, B10). */
@Timeout(300)
class ColorTest {
  private final StillMely machine = new StillMely(3, StealPolicy.OFF);
  private final Color color = new Color(machine.host, 1, false);

  /** A million idle colors are affordable (B11). */
  @Test
  void idleColorTakes48Bytes() {
    assertTrue(ClassLayout.parseClass(Color.class).instanceSize() <= 48);
  }

  // ---- State

  @Test
  void queuedColorIsClaimedOnceAndFromItsCoreAlone() {
    post(1);
    assertTrue(color.isQueuedAt(1));
    assertFalse(color.isQueuedAt(2));
    assertFalse(color.claim(0, 0), "an entry in the ring of a core where it does not wait");
    assertTrue(color.claim(1, 2));
    assertEquals(2, color.core());
    assertFalse(color.isQueuedAt(1));
    assertFalse(color.claim(1, 1), "somebody runs it");
    assertFalse(color.claim(2, 2), "somebody runs it");
  }

  @Test
  void entryThatAThiefLeftBehindIsStale() {
    post(2);
    assertTrue(color.claim(1, 2));
    assertNotNull(color.take());
    color.queue(2);
    assertFalse(color.claim(1, 1));
    assertTrue(color.claim(2, 2));
    assertNotNull(color.take());
    assertTrue(color.release(2));
    assertFalse(color.claim(1, 1));
    assertFalse(color.claim(2, 2), "an idle color cannot be claimed");
  }

  @Test
  void colorStaysWhereItWasStolenTo() {
    post(1);
    assertTrue(color.claim(1, 2));
    assertNotNull(color.take());
    assertTrue(color.release(2));
    assertEquals(2, color.core());
  }

  @Test
  void isCurrentOnlyInsideItsEventsOnTheRightCore() {
    machine.host.as(1, () -> assertFalse(color.isCurrent()));
    post(1);
    machine.host.as(1, () -> assertFalse(color.isCurrent()));
    assertTrue(color.claim(1, 2));
    assertFalse(color.isCurrent(), "not a worker");
    machine.host.as(1, () -> assertFalse(color.isCurrent()));
    machine.host.as(2, () -> assertTrue(color.isCurrent()));
    assertTrue(color.isRunBy(machine.host.thread(2)));
    assertFalse(color.isRunBy(machine.host.thread(1)));
    assertFalse(color.isRunBy(Thread.currentThread()));
    assertNotNull(color.take());
    assertTrue(color.release(2));
    machine.host.as(2, () -> assertFalse(color.isCurrent()));
    assertFalse(color.isRunBy(machine.host.thread(2)));
  }

  @Test
  void pinnedFlagSurvivesEveryTransition() {
    Color pinned = new Color(machine.host, 1, true);
    assertTrue(pinned.isPinned());
    Numbered event = new Numbered(0);
    pinned.link(pinned.swap(event), event);
    pinned.queue(1);
    assertTrue(pinned.isPinned() && pinned.isQueuedAt(1));
    assertTrue(pinned.claim(1, 1));
    assertTrue(pinned.isPinned());
    assertFalse(pinned.release(1));
    assertTrue(pinned.isPinned());
    assertNotNull(pinned.take());
    assertTrue(pinned.release(1));
    assertTrue(pinned.isPinned());
    assertFalse(color.isPinned());
  }

  @Test
  void onlyAnIdleColorMoves() {
    assertTrue(color.moveTo(2));
    assertEquals(2, color.core());
    assertTrue(color.moveTo(1));
    post(1);
    assertFalse(color.moveTo(2));
    assertTrue(color.moveTo(1), "it is there already");
    claimAtHome();
    assertFalse(color.moveTo(2));
    assertNotNull(color.take());
    assertTrue(color.release(1));
    assertTrue(color.moveTo(0));
    assertNull(color.swap(new Numbered(1)));
  }

  @Test
  void pinnedColorDoesNotMove() {
    Color pinned = new Color(machine.host, 1, true);
    assertFalse(pinned.moveTo(2));
    assertTrue(pinned.moveTo(1));
    assertEquals(1, pinned.core());
  }

  @Test
  void movingToACoreThatIsNotThereNamesIt() {
    for (int core : new int[] {-1, 3}) {
      Exception e = assertThrows(IllegalArgumentException.class, () -> color.moveTo(core));
      assertTrue(e.getMessage().contains("no core " + core), e.getMessage());
    }
    assertEquals(1, color.core());
  }

  @Test
  void namesItsState() {
    assertTrue(color.toString().endsWith("[idle, core 1]"), color.toString());
    post(1);
    assertTrue(color.toString().endsWith("[queued, core 1]"), color.toString());
    assertTrue(color.claim(1, 2));
    assertTrue(color.toString().endsWith("[running, core 2]"), color.toString());
    String pinned = new Color(machine.host, 0, true).toString();
    assertTrue(pinned.endsWith("[idle, pinned, core 0]"), pinned);
  }

  @Test
  void onlyAQueuedColorIsClaimedToReject() {
    assertFalse(color.claimToReject(), "idle");
    post(1);
    assertTrue(color.claimToReject());
    assertTrue(color.toString().contains("rejecting"), color::toString);
    assertFalse(color.claimToReject(), "once");
    assertFalse(color.claim(1, 1));
  }

  // ---- Bounds that are far away

  /** As many as the state can count; the others wait until one has left. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void hasManyReadersAndNeverMoreThanItCounts(boolean pinned) {
    int most = 65_535;
    int last = 2;
    StillMely still = new StillMely(3, StealPolicy.OFF);
    Color read = pinned ? still.mely.newPinnedColor(last) : still.mely.newColor(last);
    List<Object> seen = new ArrayList<>();
    int[] reads = new int[1];
    Handler<Object> reader = Handler.of(e -> reads[0]++);
    Handler<Object> writer = Handler.of(e -> seen.add(reads[0]));
    still.mely.register(read, writer, "first");
    for (int i = 0; i <= most; i++) {
      still.mely.register(Permissions.read(read), reader, i);
    }
    for (int i = 0; i < 10_000 && !read.toString().contains("shared"); i++) {
      still.step(last);
    }
    assertTrue(read.toString().contains("[shared by " + most), read.toString());
    assertEquals(last, read.core());
    assertEquals(pinned, read.isPinned());
    still.mely.register(Permissions.read(read), reader, "joins later");
    assertTrue(read.toString().contains("[shared by " + most), read.toString());
    still.mely.register(read, writer, "last");
    for (int i = 0; i < 1_000_000 && seen.size() < 2; i++) {
      still.step(last);
    }
    still.run(last);
    assertEquals(List.of(0, most + 2), seen);
    assertTrue(read.toString().contains("[idle"), read.toString());
    assertEquals(last, read.core());
    assertEquals(pinned, read.isPinned());
  }

  // ---- Weight (B5, B6)

  /** Nine million events do not look like none, whatever each of them weighs. */
  @Test
  void countsMillionsOfPendingEvents() {
    for (long weight : new long[] {1, 30, 10_000}) {
      int sum = 0;
      for (int more : new int[] {9_000_000, 8_000_000, 48_000_000}) {
        color.addPending(more, more * weight);
        sum += more;
        // What it weighs may have wrapped, and carried into the number: once in 137 seconds.
        assertEquals(sum, color.pending(), sum * weight / 137e9);
      }
      color.addPending(-sum, -sum * weight);
      assertEquals(0, color.pending());
      assertEquals(0, color.weight());
    }
  }

  /** Taken before its producer has counted it. */
  @Test
  void countMayFallBelowZeroForAMoment() {
    color.addPending(-1_000, -1_000);
    assertEquals(-1_000, color.pendingCount());
    assertEquals(0, color.pending());
    color.addPending(1_000, 1_000);
    assertEquals(0, color.pendingCount());
  }

  /** What a color weighs is the sum over its pending events, at every moment. */
  @Test
  void weighsWhatIsPending() {
    StillMely still = new StillMely(1, StealPolicy.ALL, 1);
    Color heavy = still.mely.newColor();
    Handler<String> handler = costs(3_000, 3);
    for (int i = 1; i <= 4; i++) {
      still.mely.register(heavy, handler, "event");
      assertEquals(1_000 * i, heavy.weight());
    }
    for (int i = 3; i >= 1; i--) {
      runBatch(still);
      assertEquals(1_000 * i, heavy.weight());
    }
    still.run(0);
    assertEquals(0, heavy.weight());
  }

  @Test
  void eventsOfItsOwnHandlersWeighToo() {
    StillMely still = new StillMely(1, StealPolicy.TIME_LEFT, 2);
    Color heavy = still.mely.newColor();
    Handler<String> leaf = costs(500, 1);
    Handler<String> root =
        Handler.of(
                (String e) -> {
                  still.mely.register(heavy, leaf, "child");
                  still.mely.register(heavy, leaf, "child");
                })
            .cost(java.time.Duration.ofNanos(700))
            .penalty(1);
    still.mely.register(heavy, root, "root");
    assertEquals(700, heavy.weight());
    runBatch(still);
    assertEquals(500, heavy.weight(), "the root and one child have run");
    still.run(0);
    assertEquals(0, heavy.weight());
  }

  private static void runBatch(StillMely still) {
    still.stepTo(0, WorkerState.FINISH);
    still.step(0);
  }

  private static Handler<String> costs(long nanos, int penalty) {
    return Handler.of((String e) -> {}).cost(java.time.Duration.ofNanos(nanos)).penalty(penalty);
  }

  private void post(int count) {
    post(color, count);
  }

  /** Registers events, as any producer does; the color waits at core 1 then. */
  static List<Numbered> post(Color color, int count) {
    List<Numbered> events = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      Numbered event = new Numbered(i);
      events.add(event);
      Object previous = color.swap(event);
      color.link(previous, event);
      if (previous == null) {
        color.queue(1);
      }
    }
    return events;
  }

  private void claimAtHome() {
    assertTrue(color.claim(1, 1));
  }
}
