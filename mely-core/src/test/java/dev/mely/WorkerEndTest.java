package dev.mely;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** How a batch ends, and a worker: what it leaves to whom. */
class WorkerEndTest {
  private static final Work SHORT = Work.MEASURED.cost(Duration.ofNanos(100)).penalty(1);

  private final StillMely still = new StillMely(1, StealPolicy.ALL);
  private final Mely mely = still.mely;
  private final List<Object> ran = new ArrayList<>();
  private final List<Object> rejected = new ArrayList<>();
  private final Handler<Object> note = known(new Note());

  private final class Note extends Handler<Object> {
    Note() {
      super(SHORT);
    }

    @Override
    public void handle(Object event) {
      ran.add(event);
    }

    @Override
    protected void rejected(Object event) {
      rejected.add(event);
    }
  }

  // ---- The end of a batch

  /** An interrupt is meant for the handler that runs, or comes too late for it. */
  @Test
  void interruptOfOneHandlerIsNotSeenByTheNext() {
    Handler<Object> interrupted = known(brief(e -> Thread.currentThread().interrupt()));
    Handler<Object> next = known(brief(e -> ran.add(Thread.currentThread().isInterrupted())));
    Color lone = mely.newColor();
    mely.register(lone, interrupted, "alone in its batch");
    mely.register(mely.newColor(), next, "event");
    Color two = mely.newColor();
    mely.register(two, note, "first of two");
    mely.register(two, interrupted, "last of two");
    mely.register(mely.newColor(), next, "event");
    still.run(0);
    assertEquals(List.of(false, "first of two", false), ran);
    assertFalse(Thread.interrupted());
  }

  @Test
  void eachBatchIsCounted() {
    Color two = mely.newColor();
    mely.register(two, note, "first of two");
    mely.register(two, note, "last of two");
    for (int i = 0; i < 3; i++) {
      mely.register(mely.newColor(), note, i);
    }
    long before = batches();
    still.run(0);
    assertEquals(4, batches() - before);
  }

  /** A batch may take so long, and a handler as well. */
  @Test
  void externalEventsAreAskedForAfterALongEvent() {
    Handler<Object> dear = known(Costs.of(2 * StillMely.BATCH_NANOS, 1));
    for (Handler<Object> handler : List.of(dear, note)) {
      mely.register(mely.newColor(), handler, "event");
      mely.register(mely.newColor(), note, "next");
      still.stepTo(0, WorkerState.FINISH);
      assertEquals(handler == note ? WorkerState.PICK : WorkerState.POLL, still.step(0));
      still.run(0);
    }
  }

  @Test
  void externalEventsAreAskedForAfterSixteenShortColors() {
    for (int i = 0; i < 40; i++) {
      mely.register(mely.newColor(), note, i);
    }
    still.stepTo(0, WorkerState.POLL);
    int first = ran.size();
    still.stepTo(0, WorkerState.POLL);
    assertEquals(16, ran.size() - first);
  }

  /** What its events cost has changed since they were registered. */
  @Test
  void nothingIsLeftOfAColorsWeight() {
    Handler<Object> measured = Handler.of(e -> still.host.advance(3_000 + 700 * ran.size()));
    Color color = mely.newColor();
    for (int round = 0; round < 5; round++) {
      for (int i = 0; i < 5; i++) {
        mely.register(color, measured, i);
        mely.register(color, note, i);
      }
      still.run(0);
      assertIdle(color);
    }
  }

  /** To ask for external events is dear. */
  @Test
  void manyShortColorsArePolledOnceAsLongAsNoTimePasses() {
    for (int i = 0; i < 1_000; i++) {
      mely.register(mely.newColor(), note, i);
    }
    int before = still.host.poller(0).waits.size();
    while (ran.size() < 1_000) {
      still.step(0);
    }
    assertTrue(still.host.poller(0).waits.size() - before <= 2, "once to sleep, and once here");
  }

  /** A fault of the worker itself, between two handlers. */
  @Test
  void lackOfMemoryIsReported() {
    try (LogTap log = new LogTap("dev.mely")) {
      still.fail(0);
      assertEquals(List.of("failed: dev.mely.Worker"), log.warnings());
    }
  }

  // ---- The end of the runtime

  @Test
  void whatWaitsBehindTheEventThatRunsIsRejected() {
    Color color = mely.newColor();
    for (String event : List.of("first", "second", "third")) {
      mely.register(color, note, event);
    }
    Color other = mely.newColor();
    mely.register(other, note, "elsewhere");
    still.stepTo(0, WorkerState.RUN);
    still.scheduler.setPhase(Scheduler.CLOSED);
    still.stepTo(0, WorkerState.EXIT);
    assertEquals(List.of("first"), ran);
    assertEquals(List.of("second", "third", "elsewhere"), rejected);
    assertIdle(color, other);
  }

  @Test
  void colorOfTheLastEventIsLetGo() {
    Color color = mely.newColor();
    mely.register(color, note, "alone");
    still.stepTo(0, WorkerState.FINISH);
    still.scheduler.setPhase(Scheduler.CLOSED);
    assertEquals(WorkerState.EXIT, still.step(0));
    assertEquals(List.of("alone"), ran);
    assertIdle(color);
  }

  /** Such colors wait where only their own worker can take them from. */
  @Test
  void whatAHandlerHasRegisteredLastIsRejected() {
    Color first = mely.newColor();
    Color second = mely.newColor();
    Handler<Object> root =
        Handler.of(
            e -> {
              mely.register(first, note, "first");
              mely.register(second, note, "second");
              still.scheduler.setPhase(Scheduler.CLOSED);
            });
    Color color = mely.newColor();
    mely.register(color, root, "event");
    still.stepTo(0, WorkerState.EXIT);
    assertEquals(List.of("first", "second"), rejected);
    assertIdle(color, first, second);
  }

  private long batches() {
    return mely.inspect().statistics().total().batches();
  }

  private static Handler<Object> brief(Handler.Action<Object> action) {
    return Handler.of(action).cost(Duration.ofNanos(100)).penalty(1);
  }

  /** Runs a handler until it is not timed any more: its batch of one event is over at once then. */
  private <H extends Handler<Object>> H known(H handler) {
    for (int i = 0; i < 16; i++) {
      mely.register(mely.newColor(), handler, i);
    }
    still.run(0);
    assertFalse(handler.wantsTiming());
    ran.clear();
    return handler;
  }

  private void assertIdle(Color... colors) {
    assertNull(still.core(0).batch.color());
    for (Color color : colors) {
      assertTrue(color.toString().contains("idle"), color::toString);
      assertEquals(0, color.pendingCount());
      assertEquals(0, color.weight());
    }
  }
}
