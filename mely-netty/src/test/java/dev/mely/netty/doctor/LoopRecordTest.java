package dev.mely.netty.doctor;

import static dev.mely.netty.doctor.FakeLoop.run;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.netty.sharing.Span;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class LoopRecordTest {
  private final FakeLoop.Group group = new FakeLoop.Group(1);
  private final FakeLoop loop = group.loop(0);
  private final Object one = loop.channel("one");
  private final Object other = loop.channel("other");
  private final LoopRecord record = new LoopRecord(new WatchedLoop(loop, group, "loop"));

  @BeforeEach
  void begin() {
    Hooks.begin();
    run(one);
  }

  @AfterEach
  void end() {
    Hooks.end();
  }

  @Test
  void spansOfTheSliceComeFromTheLoop() throws Exception {
    long from = Recording.now();
    Recording.from = from;
    run(one);
    record.ask(from);
    run(other); // it runs this before the task
    loop.runTasks();
    run(one); // and this after
    List<Span> spans = record.spans(from, Recording.now());
    assertEquals(List.of(one, other), spans.stream().map(Span::channel).toList());
  }

  /** It has run one handler since the slice began, ten seconds ago. */
  @Test
  void aStuckLoopIsBusy() throws Exception {
    long from = Recording.now() - 10_000_000_000L;
    record.ask(from);
    assertEquals(List.of(new Span(null, from, from + 5)), record.spans(from, from + 5));
    assertEquals(1, record.lags().size()); // it waits still, and this counts
  }

  /** Ten seconds each time would leave few slices. */
  @Test
  void aStuckLoopIsNotWaitedForAgain() throws Exception {
    long from = Recording.now() - 10_000_000_000L;
    record.ask(from);
    record.spans(from, from + 5);
    long again = Recording.now() - 250_000_000L;
    record.ask(again);
    assertEquals(List.of(new Span(null, again, again + 5)), record.spans(again, again + 5));
  }

  @Test
  void moreThanCanBeKept() throws Exception {
    long from = Recording.now();
    Recording.from = from;
    for (int i = 0; i < LoopTrace.MOST / 2 - 1; i++) {
      run(one);
      run(other);
    }
    record.ask(from);
    loop.runTasks();
    record.spans(from, Recording.now());
    assertFalse(record.wasFull());
    from = Recording.now();
    Recording.from = from;
    for (int i = 0; i < LoopTrace.MOST; i++) {
      run(one);
      run(other);
    }
    record.ask(from);
    loop.runTasks();
    record.spans(from, Recording.now());
    assertTrue(record.wasFull());
  }

  @Test
  void aLoopWhoseQueueIsFullIsBusy() throws Exception {
    loop.full = true;
    record.ask(0);
    assertEquals(List.of(new Span(null, 0, 5)), record.spans(0, 5));
    assertEquals(List.of(), record.lags());
  }

  /** A task would make a shutdown longer, and start the thread of a loop that is suspended. */
  @Test
  void loopsThatEndAreNotAsked() throws Exception {
    loop.shuttingDown = true;
    record.ask(0);
    assertEquals(List.of(), record.spans(0, 1));
    loop.shuttingDown = false;
    loop.suspended = true;
    record.ask(0);
    assertEquals(List.of(), record.spans(0, 1));
    assertEquals(0, loop.tasks());
    assertEquals(List.of(), record.lags());
  }

  @Test
  void nothingWasAskedFor() throws Exception {
    assertEquals(List.of(), record.spans(0, 1));
  }

  @Test
  void lagIsTheTimeBetweenAskingAndRunning() {
    long before = Recording.now();
    record.ask(before);
    long asked = Recording.now();
    while (Recording.now() < asked + 1_000_000) {
      Thread.onSpinWait();
    }
    loop.runTasks();
    long after = Recording.now();
    record.ask(after);
    loop.runTasks();
    List<Long> lags = record.lags();
    assertEquals(2, lags.size());
    assertTrue(lags.get(0) <= lags.get(1), lags::toString);
    assertTrue(lags.get(1) >= 1_000_000 && lags.get(1) <= after - before, lags::toString);
  }
}
