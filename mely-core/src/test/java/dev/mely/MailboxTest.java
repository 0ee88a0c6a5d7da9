package dev.mely;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The color's mailbox: many producers, one consumer at a time (requirements A2, B10). */
@Timeout(300)
class MailboxTest {
  private final StillMely machine = new StillMely(3, StealPolicy.OFF);
  private final Color color = new Color(machine.host, 1, false);

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
              boolean first = color.enterIdle(event);
              if (!first) {
                Object previous = color.swap(event);
                color.link(previous, event);
                first = previous == null;
              }
              if (first) {
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
      } while (color.hasPending() || !color.release(1));
    }
    threads.join();
    assertEquals(0, ready.get());
    assertNull(color.swap(new Numbered(0)));
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

  private List<Numbered> post(int count) {
    return ColorTest.post(color, count);
  }

  private void claimAtHome() {
    assertTrue(color.claim(1, 1));
  }

  /** One seeded order of the mailbox's operations, checked against a plain queue. */
  private final class Interleaving {
    private static final int PRODUCERS = 3;
    private static final int STEPS = 60;

    private final SplittableRandom random;
    private final Color mailbox = new Color(machine.host, 0, false);
    private final Deque<Numbered> model = new ArrayDeque<>();

    /** Per producer: the event that it has swapped but not linked, and what swap returned. */
    private final @Nullable Numbered[] unlinked = new @Nullable Numbered[PRODUCERS];

    private final @Nullable Object[] previous = new @Nullable Object[PRODUCERS];

    /**
     * Per producer: whether that event has entered an idle mailbox, and there is nothing to link.
     */
    private final boolean[] entered = new boolean[PRODUCERS];

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
        model.add(event);
        unlinked[producer] = event;
        entered[producer] = random.nextBoolean() && mailbox.enterIdle(event);
        previous[producer] = entered[producer] ? null : mailbox.swap(event);
        return "";
      }
      if (!entered[producer]) {
        mailbox.link(previous[producer], event);
      }
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
