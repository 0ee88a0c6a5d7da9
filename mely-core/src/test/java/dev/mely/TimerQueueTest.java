package dev.mely;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.lang.ref.WeakReference;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
class TimerQueueTest {
  private final StillMely still = new StillMely(1, StealPolicy.OFF);
  private final TimerQueue queue = new TimerQueue();
  private final Handler<Object> handler = Handler.of(e -> {});

  @Test
  void emptyQueueHasNoDeadline() {
    assertEquals(TimerQueue.NONE, queue.nextDeadline());
    assertEquals(List.of(), expire(Long.MAX_VALUE - 1));
    assertEquals(0, queue.close());
  }

  @Test
  void saysWhenATimerIsTheEarliest() {
    assertTrue(queue.add(timer(100)));
    assertFalse(queue.add(timer(200)));
    assertTrue(queue.add(timer(50)));
    assertEquals(50, queue.nextDeadline());
  }

  @Test
  void givesOutWhatIsDueByDeadline() {
    List<TimerEvent> timers = List.of(timer(30), timer(10), timer(20), timer(40));
    timers.forEach(queue::add);
    assertEquals(List.of(), expire(9));
    assertEquals(List.of(timers.get(1), timers.get(2), timers.get(0)), expire(39));
    assertEquals(40, queue.nextDeadline());
    assertEquals(List.of(timers.get(3)), expire(40));
    assertEquals(TimerQueue.NONE, queue.nextDeadline());
  }

  @Test
  void cancelledTimersAreNotGivenOut() {
    List<TimerEvent> timers = List.of(timer(10), timer(20), timer(30));
    timers.forEach(queue::add);
    assertTrue(timers.get(0).cancel());
    assertTrue(timers.get(2).cancel());
    assertEquals(List.of(timers.get(1)), expire(100));
    assertEquals(TimerQueue.NONE, queue.nextDeadline());
  }

  /** A hundred thousand request time-outs that never come: what they hold is let go. */
  @Test
  void massCancelDoesNotLeak() {
    List<WeakReference<Object>> payloads = new ArrayList<>();
    TimerEvent kept = timer(1_000_000_000);
    queue.add(kept);
    for (int i = 0; i < 100_000; i++) {
      Object payload = new Object();
      TimerEvent timer = new TimerEvent(still.mely.color(0), handler, payload, 10_000 + i, 0);
      queue.add(timer);
      if (i % 1_000 == 0) {
        payloads.add(new WeakReference<>(payload));
      }
      assertTrue(timer.cancel());
    }
    Awaitility.await()
        .until(
            () -> {
              System.gc();
              return payloads.stream().filter(p -> p.get() != null).count() <= 1;
            });
    assertEquals(1, queue.close(), "the one that was not cancelled");
    assertEquals(0, queue.size());
    assertTrue(kept.isDone());
  }

  /** The worker must not wake up for timers that are gone. */
  @Test
  void deadlineIsThatOfALivingTimerAfterAMassCancel() {
    List<TimerEvent> timers = new ArrayList<>();
    for (int i = 0; i < 1_000; i++) {
      timers.add(timer(i));
    }
    TimerEvent last = timer(5_000);
    queue.add(last);
    timers.forEach(queue::add);
    timers.forEach(TimerEvent::cancel);
    expire(0);
    assertEquals(5_000, queue.nextDeadline());
    assertEquals(List.of(last), expire(5_000));
  }

  @Test
  void cancelAllOfManyLeavesTheOthersInOrder() {
    List<TimerEvent> odd = new ArrayList<>();
    List<TimerEvent> even = new ArrayList<>();
    for (int i = 0; i < 1_000; i++) {
      TimerEvent timer = timer((i * 7919L) % 1_000);
      (timer.deadline() % 2 == 0 ? even : odd).add(timer);
      queue.add(timer);
    }
    odd.forEach(TimerEvent::cancel);
    List<TimerEvent> due = expire(1_000);
    assertEquals(even.size(), due.size());
    for (int i = 0; i < due.size(); i++) {
      assertEquals(2 * i, due.get(i).deadline());
    }
  }

  @Test
  void closedQueueDropsWhatComes() {
    TimerEvent before = timer(10);
    TimerEvent cancelled = timer(20);
    queue.add(before);
    queue.add(cancelled);
    cancelled.cancel();
    assertEquals(1, queue.close());
    TimerEvent after = timer(30);
    assertFalse(queue.add(after));
    assertTrue(before.isDone());
    assertTrue(after.isDone());
    assertEquals(List.of(), expire(100));
    assertEquals(TimerQueue.NONE, queue.nextDeadline());
  }

  @Test
  void sizeCountsWhatIsNotCancelled() {
    for (int round = 0; round < 3; round++) {
      TimerEvent cancelled = timer(10);
      queue.add(cancelled);
      queue.add(timer(20));
      assertEquals(2, queue.size());
      cancelled.cancel();
      assertEquals(1, queue.size());
      expire(15);
      assertEquals(1, queue.size(), "counted out when it is removed");
      expire(20);
      assertEquals(0, queue.size());
    }
  }

  /** Each cancel says that the timer was cancelled; the count of those that wait stays exact. */
  @Test
  void aTimerThatIsCancelledAsItComesOutIsCountedOnce() {
    queue.add(timer(10));
    List<TimerEvent> due = expire(10);
    assertTrue(due.get(0).cancel(), "not fired yet");
    queue.add(timer(20));
    assertEquals(1, queue.size());
  }

  @Test
  void aTimerThatIsCancelledBeforeItIsAddedIsCountedOnce() {
    TimerEvent timer = timer(10);
    assertTrue(timer.cancel());
    queue.add(timer);
    queue.add(timer(20));
    assertEquals(List.of(), expire(15));
    assertEquals(1, queue.size());
  }

  @Test
  void aTimerThatMemoryHasNoPlaceForIsNotCounted() throws ReflectiveOperationException {
    fillUp(queue);
    TimerEvent timer = timer(10);
    assertThrows(OutOfMemoryError.class, () -> queue.add(timer));
    assertTrue(timer.cancel());
    assertEquals(0, queue.size());
  }

  /** A cancel in two halves: the state says so, the queue has yet to be told. */
  @Test
  void aCancelThatComesAfterASweepOrTheEndIsNotCounted() {
    List<TimerEvent> timers = addTimers(67);
    TimerEvent late = timers.get(66);
    late.drop();
    for (int i = 0; i < 65; i++) {
      timers.get(i).cancel();
    }
    queue.cancelled(late);
    assertEquals(1, queue.size(), "swept: 65 and the one whose cancel was late");

    TimerEvent last = timers.get(65);
    queue.close();
    queue.cancelled(last);
    assertEquals(0, queue.size());
  }

  @Test
  void nothingWaitsAfterASweepOfAll() {
    addTimers(65).forEach(TimerEvent::cancel);
    assertEquals(TimerQueue.NONE, queue.nextDeadline());
    assertEquals(0, queue.size());
  }

  @Test
  void equalDeadlineIsNoNewEarliest() {
    assertTrue(queue.add(timer(10)));
    assertFalse(queue.add(timer(10)));
  }

  @Test
  void closedQueueHasNoDeadline() {
    queue.add(timer(10));
    assertEquals(1, queue.close());
    assertEquals(TimerQueue.NONE, queue.nextDeadline());
  }

  /** Cancelled timers stay until they are due, or more than 64 and more than half of all. */
  @Test
  void cancelledTimersAreSweptWhenTheyAreMost() {
    List<TimerEvent> timers = addTimers(130);
    for (int i = 0; i < 65; i++) {
      timers.get(i).cancel();
    }
    assertEquals(1, queue.nextDeadline(), "65 of 130: just half");
    timers.get(65).cancel();
    assertEquals(67, queue.nextDeadline(), "66 of 130");
    assertEquals(64, queue.close());
  }

  @Test
  void fewCancelledTimersAreNotWorthASweep() {
    List<TimerEvent> timers = addTimers(66);
    for (int i = 0; i < 64; i++) {
      timers.get(i).cancel();
    }
    assertEquals(1, queue.nextDeadline());
    timers.get(64).cancel();
    assertEquals(66, queue.nextDeadline());
    timers.get(65).cancel();
    assertEquals(66, queue.nextDeadline(), "counted anew after a sweep");
  }

  /**
   * The link is that of the mailbox, too: there, no link means that a producer is about to link.
   */
  @Test
  void aTimerThatWasDueLeadsToNoOther() {
    List<TimerEvent> timers = addTimers(2);
    assertEquals(timers, expire(2));
    Mailbox mailbox = new Color(still.host, 0, false);
    mailbox.link(mailbox.swap(timers.get(0)), timers.get(0));
    Object previous = mailbox.swap(timers.get(1));
    assertNull(mailbox.take(), "not linked yet");
    mailbox.link(previous, timers.get(1));
    assertSame(timers.get(0), mailbox.take());
    assertSame(timers.get(1), mailbox.take());
  }

  /** So a lack of memory cannot lose what has left the heap. */
  @Test
  void expiryAllocatesNothing() {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    addTimers(10_000);
    queue.expire(1); // what is done once
    long before = threads.getCurrentThreadAllocatedBytes();
    TimerEvent due = queue.expire(10_000);
    long bytes = threads.getCurrentThreadAllocatedBytes() - before;
    assertTrue(bytes < 10_000, bytes + " bytes for 9,999 timers");
    int count = 0;
    for (; due != null; due = due.unchain()) {
      count++;
    }
    assertEquals(9_999, count);
  }

  @Test
  void timerFiresAndIsTakenOnce() {
    TimerEvent timer = timer(10);
    assertTrue(timer.fire());
    assertFalse(timer.fire());
    assertEquals("event", timer.payload());
    assertEquals(null, timer.payload());
    assertFalse(timer.rearm(20), "one-shot");
  }

  @Test
  void periodicTimerIsArmedAgainUnlessCancelled() {
    TimerEvent rate = new TimerEvent(still.mely.color(0), handler, "event", 10, 5);
    assertTrue(rate.fire());
    assertEquals("event", rate.payload());
    assertTrue(rate.rearm(100));
    assertEquals(15, rate.deadline());
    TimerEvent delay = new TimerEvent(still.mely.color(0), handler, "event", 10, -5);
    assertTrue(delay.fire());
    assertEquals("event", delay.payload());
    assertTrue(delay.cancel());
    assertFalse(delay.rearm(100));
    assertEquals(105, delay.deadline());
  }

  private List<TimerEvent> expire(long now) {
    List<TimerEvent> due = new ArrayList<>();
    TimerEvent timer = queue.expire(now);
    while (timer != null) {
      due.add(timer);
      timer = timer.unchain();
    }
    return due;
  }

  private List<TimerEvent> addTimers(int count) {
    List<TimerEvent> timers = new ArrayList<>();
    for (int i = 1; i <= count; i++) {
      TimerEvent timer = timer(i);
      timers.add(timer);
      queue.add(timer);
    }
    return timers;
  }

  private TimerEvent timer(long deadline) {
    return new TimerEvent(still.mely.color(0), handler, "event", deadline, 0);
  }

  /** Lets the queue keep what it holds, and take no more: memory has run out. */
  static void fillUp(TimerQueue full) throws ReflectiveOperationException {
    Field heap = TimerQueue.class.getDeclaredField("heap");
    heap.setAccessible(true);
    heap.set(full, new FullHeap((PriorityQueue<?>) heap.get(full)));
  }

  private static final class FullHeap extends PriorityQueue<Object> {
    private static final long serialVersionUID = 1;

    FullHeap(PriorityQueue<?> content) {
      super(content);
    }

    @Override
    public boolean offer(Object timer) {
      throw new OutOfMemoryError("planned");
    }

    @Override
    public boolean add(Object timer) {
      return offer(timer);
    }
  }
}
