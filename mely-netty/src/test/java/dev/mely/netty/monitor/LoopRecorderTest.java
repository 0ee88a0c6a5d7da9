package dev.mely.netty.monitor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import dev.mely.netty.monitor.LoopRecorder.Slice;
import dev.mely.netty.sharing.Span;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Times are in nanoseconds; tasks shorter than 3,000 are none. */
class LoopRecorderTest {
  private static final Object TASKS = LoopRecorder.TASKS;

  private long now;
  private final LoopRecorder recorder = new LoopRecorder(() -> now);

  private void runs(Object what, long from, long to) {
    now = from;
    recorder.begin(what);
    now = to;
    recorder.end();
  }

  private void beginSlice(long at) {
    now = at;
    recorder.beginSlice();
  }

  private Slice endSlice(long at) {
    now = at;
    return recorder.endSlice();
  }

  @Test
  void timesWhatRunsInASlice() {
    runs("a", 100, 200);
    beginSlice(1_000);
    runs("a", 1_500, 2_000);
    runs("b", 2_100, 3_000);
    runs(TASKS, 3_000, 7_000);
    List<Span> spans =
        List.of(
            new Span("a", 1_500, 2_000), new Span("b", 2_100, 3_000), new Span(null, 3_000, 7_000));
    assertEquals(new Slice(spans, 1_000, 8_000, 2, 600), endSlice(8_000));
    runs("a", 9_000, 9_500);
    assertEquals(List.of(), endSlice(10_000).spans());
    beginSlice(11_000);
    assertEquals(
        new Slice(List.of(), 11_000, 12_000, 0, 0), endSlice(12_000), "the last one is forgotten");
  }

  /** A loop asks for tasks after each wait. */
  @Test
  void noTasksAreNotTold() {
    beginSlice(0);
    runs(TASKS, 1_000, 3_999);
    assertEquals(List.of(), endSlice(5_000).spans());
  }

  @Test
  void whatTakesNoTimeIsATurnButNoSpan() {
    beginSlice(0);
    runs("a", 1_000, 1_000);
    Slice slice = endSlice(5_000);
    assertEquals(List.of(), slice.spans());
    assertEquals(1, slice.turns());
  }

  @Test
  void whatRunsAtTheEdgesOfASliceIsInIt() {
    recorder.begin("long");
    beginSlice(1_000);
    assertEquals(
        new Slice(List.of(new Span("long", 1_000, 50_000)), 1_000, 50_000, 0, 0), endSlice(50_000));
    beginSlice(60_000);
    now = 70_000;
    recorder.end();
    runs("next", 80_000, 90_000);
    now = 95_000;
    recorder.begin("last");
    assertEquals(
        List.of(
            new Span("long", 60_000, 70_000),
            new Span("next", 80_000, 90_000),
            new Span("last", 95_000, 99_000)),
        endSlice(99_000).spans());
  }

  /** The loop comes to end its turn while the slice ends. */
  @Test
  void aTurnThatEndsWithTheSliceIsNotLost() throws InterruptedException {
    beginSlice(0);
    recorder.begin("long");
    Thread loop = new Thread(recorder::end);
    synchronized (recorder) {
      loop.start();
      while (loop.isAlive() && loop.getState() != Thread.State.BLOCKED) {
        Thread.onSpinWait();
      }
      assertEquals(List.of(new Span("long", 0, 50_000)), endSlice(50_000).spans());
    }
    loop.join();
    assertNull(recorder.running());
    beginSlice(60_000);
    assertEquals(List.of(), endSlice(70_000).spans());
  }

  /** Little's law: the sum of the waits, divided by the time, is how many wait on average. */
  @Test
  void channelsWaitForThoseThatComeFirstInTheirRound() {
    beginSlice(-10);
    runs(TASKS, -10, 0);
    runs("a", 0, 2_000);
    runs("b", 2_000, 4_000);
    runs("c", 4_000, 5_000);
    assertEquals(0 + 2_000 + 4_000, endSlice(5_000).waitedNanos());
    beginSlice(5_000);
    runs("a", 6_000, 7_000);
    runs("b", 7_000, 8_000);
    runs(TASKS, 8_000, 12_000);
    runs("a", 20_000, 21_000);
    runs("b", 21_000, 22_000);
    Slice slice = endSlice(30_000);
    assertEquals(0 + 1_000 + 0 + 1_000, slice.waitedNanos());
    assertEquals(4, slice.turns());
    assertEquals(5, slice.spans().size(), "the tasks that were long are one: " + slice);
  }

  /** What a loop runs in short turns must not take long to look through. */
  @Test
  void aSliceEndsWhereThereIsTooMuch() {
    beginSlice(0);
    for (int i = 0; i < 5_000; i++) {
      runs("a", 10 * i, 10 * i + 5);
    }
    Slice slice = endSlice(60_000);
    assertEquals(2_048, slice.spans().size());
    assertEquals(new Span("a", 10 * 2_047, 10 * 2_047 + 5), slice.spans().get(2_047));
    assertEquals(10 * 2_047 + 5, slice.to());
    assertEquals(2_048, slice.turns());
    beginSlice(70_000);
    runs("a", 71_000, 72_000);
    assertEquals(
        new Slice(List.of(new Span("a", 71_000, 72_000)), 70_000, 80_000, 1, 0), endSlice(80_000));
  }

  /** It has left its last call of all without another one, and stays without a thread. */
  @Test
  void aSuspendedLoopIsIdle() throws InterruptedException {
    Thread thread =
        new Thread(
            () -> {
              recorder.bind();
              recorder.begin(TASKS);
            });
    thread.start();
    thread.join();
    assertNull(recorder.running());
    beginSlice(0);
    assertEquals(List.of(), endSlice(50_000).spans());
    recorder.bind(); // another thread goes on
    assertSame(TASKS, recorder.running());
  }

  @Test
  void alwaysKnowsWhatRuns() {
    assertNull(recorder.running());
    recorder.begin("a");
    assertSame("a", recorder.running());
    assertEquals(1, recorder.begun());
    recorder.end();
    assertNull(recorder.running());
    assertEquals(1, recorder.begun());
    recorder.registered();
    recorder.registered();
    recorder.unregistered();
    assertEquals(1, recorder.channels());
    assertNull(recorder.thread());
    recorder.bind();
    assertSame(Thread.currentThread(), recorder.thread());
  }
}
