package dev.mely;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.openjdk.jol.info.ClassLayout;

/**
 * The color's state and its mailbox, one operation at a time (requirements A1, A2, A6, B9, B10).
 */
@Timeout(60)
class ColorTest {
  private final StillMely machine = new StillMely(3, StealPolicy.OFF);
  private final Color color = new Color(machine.scheduler, 1, false);

  /** A million idle colors are affordable (B11). */
  @Test
  void idleColorTakes48Bytes() {
    assertTrue(ClassLayout.parseClass(Color.class).instanceSize() <= 48);
  }

  // ---- Mailbox

  @Test
  void onlyTheFirstProducerFindsTheColorIdle() {
    Numbered a = new Numbered(0);
    Numbered b = new Numbered(1);
    assertNull(color.swap(a));
    assertSame(a, color.swap(b));
  }

  @Test
  void eventsComeOutInTheOrderOfTheSwaps() {
    List<Numbered> events = post(5);
    claimAtHome();
    for (Numbered event : events) {
      assertTrue(color.hasPending());
      assertSame(event, color.take());
      assertNull(event.next);
    }
    assertFalse(color.hasPending());
    assertNull(color.take());
  }

  @Test
  void eventsThatComeWhileOthersRunComeOutBehindThem() {
    List<Numbered> events = post(2);
    claimAtHome();
    assertSame(events.get(0), color.take());
    Numbered late = new Numbered(2);
    color.link(color.swap(late), late);
    assertSame(events.get(1), color.take());
    assertSame(late, color.take());
    assertNull(color.take());
  }

  @Test
  void eventThatIsNotYetLinkedIsPendingButCannotBeTaken() {
    post(1);
    claimAtHome();
    assertNotNull(color.take());
    Numbered event = new Numbered(1);
    Object previous = color.swap(event);
    assertTrue(color.hasPending());
    assertNull(color.take());
    color.link(previous, event);
    assertSame(event, color.take());
  }

  /** The youngest event of the private part is there, the one before it is still in its hole. */
  @Test
  void holeInTheMiddleHoldsUpWhatIsBehindIt() {
    List<Numbered> events = List.of(new Numbered(0), new Numbered(1), new Numbered(2));
    color.link(color.swap(events.get(0)), events.get(0));
    Object previous = color.swap(events.get(1));
    color.link(color.swap(events.get(2)), events.get(2));
    color.queue(1);
    claimAtHome();
    assertNull(color.take());
    assertTrue(color.hasPending());
    color.queue(1);
    claimAtHome();
    assertNull(color.take());
    color.link(previous, events.get(1));
    for (Numbered event : events) {
      assertSame(event, color.take());
    }
    assertTrue(color.release(1));
  }

  @Test
  void appendedEventComesBehindThePrivatePart() {
    List<Numbered> events = post(2);
    claimAtHome();
    assertSame(events.get(0), color.take());
    Numbered own = new Numbered(2);
    assertTrue(color.append(own));
    assertSame(events.get(1), color.take());
    assertSame(own, color.take());
    assertFalse(color.hasPending());
  }

  @Test
  void runningEventMayAppendItself() {
    Numbered event = post(1).get(0);
    claimAtHome();
    for (int i = 0; i < 3; i++) {
      assertSame(event, color.take());
      assertTrue(color.append(event));
      assertTrue(color.hasPending());
    }
  }

  /** Not even one that is not linked yet. */
  @Test
  void appendedEventOvertakesNobody() {
    post(1);
    claimAtHome();
    assertNotNull(color.take());
    Numbered first = new Numbered(1);
    Object previous = color.swap(first);
    Numbered own = new Numbered(2);
    assertFalse(color.append(own));
    color.link(previous, first);
    assertFalse(color.append(own));
    color.link(color.swap(own), own);
    assertSame(first, color.take());
    assertSame(own, color.take());
  }

  @Test
  void colorWithNothingPendingIsReleased() {
    post(1);
    claimAtHome();
    assertNotNull(color.take());
    assertTrue(color.release(1));
    assertNull(color.swap(new Numbered(1)), "the next producer must find the color idle");
  }

  @Test
  void racingProducerKeepsTheColorFromBeingReleased() {
    post(1);
    claimAtHome();
    assertNotNull(color.take());
    Numbered late = new Numbered(1);
    Object previous = color.swap(late);
    assertNotNull(previous, "the producer must not activate a color that is running");
    assertFalse(color.release(1));
    machine.host.as(1, () -> assertTrue(color.isCurrent()));
    color.link(previous, late);
    color.queue(1);
    claimAtHome();
    assertSame(late, color.take());
    assertTrue(color.release(1));
  }

  /** Any order of swaps, links, takes, appends and releases by up to four parties. */
  @Test
  void mailboxIsFirstInFirstOutUnderAnyInterleaving() {
    for (long seed = 0; seed < 20_000; seed++) {
      String violation = new Interleaving(seed).play();
      assertEquals("", violation, "seed " + seed);
    }
  }

  /** The same with threads: the mailbox alone, no runtime around it. */
  @Test
  void mailboxIsFirstInFirstOutWithThreads() throws InterruptedException {
    int producers = 3;
    int each = 100_000;
    AtomicInteger ready = new AtomicInteger();
    Threads threads = new Threads();
    for (int p = 0; p < producers; p++) {
      int producer = p;
      threads.add(
          () -> {
            for (int i = 0; i < each; i++) {
              Numbered event = new Numbered(producer * each + i);
              Object previous = color.swap(event);
              color.link(previous, event);
              if (previous == null) {
                color.queue(1);
                ready.incrementAndGet();
              }
            }
          });
    }
    threads.start();
    int[] next = new int[producers];
    int taken = 0;
    while (taken < producers * each) {
      if (ready.get() == 0) {
        Thread.onSpinWait();
        continue;
      }
      assertEquals(1, ready.getAndDecrement(), "activated twice");
      assertTrue(color.claim(1, 1));
      do {
        for (Event event = color.take(); event != null; event = color.take()) {
          int number = ((Numbered) event).number;
          assertEquals(next[number / each]++, number % each);
          taken++;
        }
      } while (!color.release(1));
    }
    threads.join();
    assertEquals(0, ready.get());
    assertNull(color.swap(new Numbered(0)));
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
    assertTrue(color.isRunBy(machine.core(2).thread()));
    assertFalse(color.isRunBy(machine.core(1).thread()));
    assertFalse(color.isRunBy(Thread.currentThread()));
    assertNotNull(color.take());
    assertTrue(color.release(2));
    machine.host.as(2, () -> assertFalse(color.isCurrent()));
    assertFalse(color.isRunBy(machine.core(2).thread()));
  }

  @Test
  void pinnedFlagSurvivesEveryTransition() {
    Color pinned = new Color(machine.scheduler, 1, true);
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
    Color pinned = new Color(machine.scheduler, 1, true);
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
    String pinned = new Color(machine.scheduler, 0, true).toString();
    assertTrue(pinned.endsWith("[idle, pinned, core 0]"), pinned);
  }

  // ---- Weight (B5, B6)

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
      still.stepTo(0, Worker.PICK);
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
            e -> {
              still.mely.register(heavy, leaf, "child");
              still.mely.register(heavy, leaf, "child");
            },
            java.time.Duration.ofNanos(700),
            1);
    still.mely.register(heavy, root, "root");
    assertEquals(700, heavy.weight());
    still.stepTo(0, Worker.PICK);
    assertEquals(500, heavy.weight(), "the root and one child have run");
    still.run(0);
    assertEquals(0, heavy.weight());
  }

  private static Handler<String> costs(long nanos, int penalty) {
    return Handler.of(e -> {}, java.time.Duration.ofNanos(nanos), penalty);
  }

  private List<Numbered> post(int count) {
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

  /** What a rejecting thread asks about a color that somebody else may hold by now. */
  @Test
  void tellsWhetherAnEventCouldBeTaken() {
    assertFalse(color.canTake(), "nothing was posted");
    Numbered a = new Numbered(0);
    Numbered b = new Numbered(1);
    Object before = color.swap(a);
    assertFalse(color.canTake(), "not linked yet");
    color.link(before, a);
    assertTrue(color.canTake());
    before = color.swap(b);
    color.queue(1);
    claimAtHome();
    assertNull(color.take(), "a hole behind the first");
    assertFalse(color.canTake(), "still a hole");
    color.link(before, b);
    assertTrue(color.canTake());
    assertSame(a, color.take());
    assertTrue(color.canTake(), "the last of the private part");
    assertSame(b, color.take());
    assertFalse(color.canTake());
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

  private void claimAtHome() {
    assertTrue(color.claim(1, 1));
  }

  static final class Numbered extends Event {
    final int number;

    Numbered(int number) {
      this.number = number;
    }
  }

  /** One seeded order of the mailbox's operations, checked against a plain queue. */
  private final class Interleaving {
    private static final int PRODUCERS = 3;
    private static final int STEPS = 60;

    private final SplittableRandom random;
    private final Color mailbox = new Color(machine.scheduler, 0, false);
    private final Deque<Numbered> model = new ArrayDeque<>();

    /** Per producer: the event that it has swapped but not linked, and what swap returned. */
    private final @Nullable Numbered[] unlinked = new @Nullable Numbered[PRODUCERS];

    private final @Nullable Object[] previous = new @Nullable Object[PRODUCERS];
    private int made;
    private boolean running;
    private int queued;

    Interleaving(long seed) {
      random = new SplittableRandom(seed);
    }

    String play() {
      for (int i = 0; i < STEPS; i++) {
        int actor = random.nextInt(PRODUCERS + 2);
        String violation = actor < PRODUCERS ? produce(actor) : consume();
        if (!violation.isEmpty()) {
          return violation;
        }
      }
      for (int p = 0; p < PRODUCERS; p++) {
        if (unlinked[p] != null) {
          produce(p);
        }
      }
      for (int i = 0; i < 2 * STEPS + 10; i++) {
        String violation = consume();
        if (!violation.isEmpty()) {
          return violation;
        }
      }
      return model.isEmpty() && !running && queued == 0 ? "" : "left behind: " + model.size();
    }

    private String produce(int producer) {
      Numbered event = unlinked[producer];
      if (event == null) {
        event = new Numbered(made++);
        previous[producer] = mailbox.swap(event);
        model.add(event);
        unlinked[producer] = event;
        return "";
      }
      mailbox.link(previous[producer], event);
      unlinked[producer] = null;
      if (previous[producer] == null) {
        mailbox.queue(0);
        queued++;
      }
      return queued + (running ? 1 : 0) > 1 ? "active twice" : "";
    }

    private String consume() {
      if (!running) {
        if (queued == 0) {
          return mailbox.claim(0, 0) ? "claimed what is not queued" : "";
        }
        queued--;
        running = true;
        return mailbox.claim(0, 0) ? "" : "cannot claim what is queued";
      }
      switch (random.nextInt(8)) {
        case 0 -> {
          mailbox.queue(0); // batch over
          queued++;
          running = false;
        }
        case 1 -> {
          if (made < STEPS) {
            Numbered own = new Numbered(made++);
            if (mailbox.append(own)) {
              model.add(own);
            }
          }
        }
        default -> {
          Event event = mailbox.take();
          if (event != null) {
            return event == model.poll() ? "" : "out of order";
          }
          if (!mailbox.hasPending()) {
            if (!model.isEmpty()) {
              return "lost";
            }
            if (mailbox.release(0)) {
              running = false;
            }
          }
        }
      }
      return "";
    }
  }
}
