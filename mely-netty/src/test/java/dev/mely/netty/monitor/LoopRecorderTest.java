package dev.mely.netty.monitor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

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

  @Test
  void timesWhatRunsInASlice() {
    runs("a", 100, 200);
    recorder.beginSlice(1_000);
    runs("a", 1_500, 2_000);
    runs("b", 2_100, 3_000);
    runs(TASKS, 3_000, 7_000);
    assertEquals(
        List.of(
            new Span("a", 1_500, 2_000), new Span("b", 2_100, 3_000), new Span(null, 3_000, 7_000)),
        recorder.endSlice(8_000));
    runs("a", 9_000, 9_500);
    assertEquals(List.of(), recorder.endSlice(10_000));
    recorder.beginSlice(11_000);
    assertEquals(List.of(), recorder.endSlice(12_000), "the last slice is forgotten");
  }

  /** A loop asks for tasks after each wait. */
  @Test
  void noTasksAreNotTold() {
    recorder.beginSlice(0);
    runs(TASKS, 1_000, 3_999);
    assertEquals(List.of(), recorder.endSlice(5_000));
  }

  @Test
  void whatRunsAtTheEdgesOfASliceIsInIt() {
    recorder.begin("long");
    now = 1_000;
    recorder.beginSlice(now);
    now = 50_000;
    assertEquals(List.of(new Span("long", 1_000, 50_000)), recorder.endSlice(now));
    now = 60_000;
    recorder.beginSlice(now);
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
        recorder.endSlice(99_000));
  }

  /** Little's law: the sum of the waits, divided by the time, is how many wait on average. */
  @Test
  void channelsWaitForThoseThatComeFirstInTheirRound() {
    recorder.beginSlice(0);
    runs(TASKS, 0, 10);
    runs("a", 1_000, 2_000);
    runs("b", 2_000, 4_000);
    runs("c", 4_000, 5_000);
    assertEquals(0 + 1_000 + 3_000, recorder.waitedNanos());
    runs(TASKS, 5_000, 9_000);
    runs("a", 20_000, 21_000);
    runs("b", 21_000, 22_000);
    assertEquals(4_000 + 0 + 1_000, recorder.waitedNanos());
    List<Span> spans = recorder.endSlice(30_000);
    assertEquals(6, spans.size(), "the tasks that were long are one: " + spans);
    recorder.beginSlice(31_000);
    assertEquals(0, recorder.waitedNanos());
  }

  /** The loop must not run out of memory: it was busy, with what is not known. */
  @Test
  void whatIsTooMuchIsOneSpan() {
    recorder.beginSlice(0);
    for (int i = 0; i < 5_000; i++) {
      runs("a", 10 * i, 10 * i + 5);
    }
    List<Span> spans = recorder.endSlice(60_000);
    assertEquals(4_096, spans.size());
    assertEquals(new Span(null, 10 * 4_095, 10 * 4_999 + 5), spans.get(4_095));
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
