package dev.mely.netty.doctor;

import static dev.mely.netty.doctor.FakeLoop.run;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.netty.sharing.Span;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class LoopTraceTest {
  private final FakeLoop.Group group = new FakeLoop.Group(2);
  private final FakeLoop loop = group.loop(0);
  private final WatchedLoop watched = new WatchedLoop(loop, group, "loop");
  private final Object one = loop.channel("one");
  private final Object other = loop.channel("other");

  @BeforeEach
  void begin() {
    Hooks.begin();
    beginSlice();
  }

  @AfterEach
  void end() {
    Hooks.end();
  }

  private static void beginSlice() {
    long last = Recording.now();
    while (Recording.now() == last) {
      Thread.onSpinWait();
    }
    Recording.from = Recording.now();
  }

  private List<Span> handOver() {
    return Hooks.handOver(Recording.from, watched);
  }

  private List<@Nullable Object> recorded() {
    List<@Nullable Object> channels = new ArrayList<>();
    handOver().forEach(span -> channels.add(span.channel()));
    return channels;
  }

  @Test
  void aChannelTellsWhichLoopTheThreadIs() {
    run(one);
    WatchedLoop found = LoopTrace.LOOPS.iterator().next().loop();
    assertEquals(new WatchedLoop(loop, group, Thread.currentThread().getName()), found);
    List<Span> spans = handOver();
    assertEquals(1, spans.size());
    assertSame(one, spans.get(0).channel());
    assertTrue(spans.get(0).start() >= Recording.from);
    assertTrue(spans.get(0).end() >= spans.get(0).start());
  }

  /** Such as that of an EmbeddedChannel, or a channel that another thread calls. */
  @Test
  void otherThreadsAreNoLoops() {
    run(new FakeLoop(null).channel("embedded"));
    loop.thread = null;
    run(one);
    assertEquals(Set.of(), LoopTrace.LOOPS);
  }

  @Test
  void aThreadWithoutLoopIsNotAskedForever() {
    loop.thread = null;
    for (int i = 0; i < 64; i++) {
      run(one);
    }
    loop.thread = Thread.currentThread();
    run(one);
    assertEquals(Set.of(), LoopTrace.LOOPS);
  }

  @Test
  void onlyTheOutermostCallCounts() {
    Hooks.beforeChannel(one);
    run(other);
    run(other);
    Hooks.after();
    run(other);
    assertEquals(List.of(one, other), recorded());
  }

  @Test
  void callsOfOneChannelThatFollowEachOtherAreOneSpan() {
    LoopTrace trace = new LoopTrace();
    trace.handOver(Recording.from, watched);
    beginSlice();
    long start = Recording.now();
    do {
      trace.begin(one); // the pause between two of them may be long now and then
      trace.end();
    } while (Recording.now() < start + Span.PAUSE_NANOS);
    List<Span> spans = trace.handOver(Recording.from, watched);
    assertTrue(spans.get(0).end() > spans.get(0).start());
    for (int i = 1; i < spans.size(); i++) {
      assertTrue(spans.get(i).start() - spans.get(i - 1).end() > Span.PAUSE_NANOS);
    }
  }

  @Test
  void tasksCountOnceTheLoopIsKnown() {
    Hooks.beforeTask();
    Hooks.after();
    assertEquals(List.of(), handOver()); // it is known by this
    assertEquals(1, LoopTrace.LOOPS.size());
    Hooks.beforeTask();
    Hooks.after();
    run(one);
    Hooks.beforeTask();
    Hooks.after();
    List<@Nullable Object> expected = new ArrayList<>();
    expected.add(null);
    expected.add(one);
    expected.add(null);
    assertEquals(expected, recorded());
  }

  @Test
  void aTaskThatReadsAChannelIsTheChannels() {
    Hooks.beforeTask();
    run(one);
    run(other);
    Hooks.after();
    assertEquals(List.of(one), recorded());
  }

  @Test
  void nothingIsRecordedAfterTheSliceIsHandedOver() {
    run(one);
    handOver();
    run(one);
    assertEquals(List.of(), handOver());
    beginSlice();
    run(other);
    assertEquals(List.of(other), recorded());
  }

  /** A task that comes late, since the loop was stuck, does not take what is of the next slice. */
  @Test
  void aSliceThatIsOverGetsNothing() {
    run(one);
    long over = Recording.from;
    beginSlice();
    run(other);
    assertEquals(List.of(), Hooks.handOver(over, watched));
    run(one);
    List<@Nullable Object> recorded = recorded();
    assertEquals(List.of(other, one), recorded.subList(1, recorded.size()));
  }

  /** An executor may run a task of one loop in the thread of another. */
  @Test
  void anotherLoopGetsNothing() {
    run(one);
    group.loop(1).thread = null;
    WatchedLoop wrong = new WatchedLoop(group.loop(1), group, "other");
    assertEquals(List.of(), Hooks.handOver(Recording.from, wrong));
    assertEquals(List.of(one), recorded());
  }

  @Test
  void nothingIsRecordedBetweenSlices() {
    Recording.from = Recording.CLOSED;
    run(one);
    assertEquals(1, LoopTrace.LOOPS.size());
    assertEquals(List.of(), handOver());
  }

  /** The thread was inside a method of Netty while it was changed. */
  @Test
  void anEndWithoutABeginningIsIgnored() {
    Hooks.after();
    Hooks.after();
    run(one);
    assertEquals(List.of(one), recorded());
  }

  @Test
  void whatIsTooMuchForASliceMakesItBusy() {
    for (int i = 0; i < LoopTrace.MOST; i++) {
      run(one);
      run(other);
    }
    long last = Recording.now();
    run(one);
    List<Span> spans = handOver();
    assertEquals(LoopTrace.MOST, spans.size());
    Span all = spans.get(LoopTrace.MOST - 1);
    assertNull(all.channel());
    assertTrue(all.end() > last);
  }

  /** The thread was inside a handler when the examination ended. */
  @Test
  void nothingOfTheProgramIsHeldAtTheEnd() {
    run(one);
    LoopTrace trace = LoopTrace.LOOPS.iterator().next();
    trace.begin(one);
    Hooks.end();
    trace.end();
    run(one);
    assertEquals(Set.of(), LoopTrace.LOOPS);
    assertNull(trace.loop());
    assertEquals(List.of(), trace.handOver(0, watched));
  }

  @Test
  void norOfALoopThatRanNoChannel() {
    handOver();
    LoopTrace trace = LoopTrace.LOOPS.iterator().next();
    assertSame(watched, trace.loop());
    Hooks.end();
    assertNull(trace.loop());
    assertEquals(Set.of(), LoopTrace.LOOPS);
  }

  @Test
  void norOfALoopThatIsFoundAsTheExaminationEnds() {
    Recording.watching = false;
    handOver();
    assertEquals(Set.of(), LoopTrace.LOOPS);
  }

  /** A thread of a pool, which a loop has left and another one has taken. */
  @Test
  void aThreadMayTakeAnotherLoop() {
    run(one);
    loop.thread = null;
    WatchedLoop next = new WatchedLoop(group.loop(1), group, "next");
    assertEquals(List.of(), Hooks.handOver(Recording.from, next));
    run(other);
    assertEquals(
        List.of(other), Hooks.handOver(Recording.from, next).stream().map(Span::channel).toList());
  }
}
