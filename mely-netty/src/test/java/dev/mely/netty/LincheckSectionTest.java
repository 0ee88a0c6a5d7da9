package dev.mely.netty;

import dev.mely.kit.Exploration;
import java.util.concurrent.atomic.AtomicInteger;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The poll section under Lincheck: its tasks exclude each other and the poll, each runs once, and
 * none is left behind when no thread is inside.
 */
@Tag("interleavings")
@Timeout(600)
class LincheckSectionTest {
  @Test
  void tasksExcludeEachOtherAndNoneIsLeft() {
    tasks(Section.class).check();
  }

  @Test
  void aClosedSectionLeavesNothingBehind() {
    closing(Section.class).check();
  }

  static Exploration tasks(Class<?> scenario) {
    return new Exploration(scenario)
        .of("poll, poll", "task, task")
        .of("poll", "task", "task")
        .of("poll", "takeOver", "task");
  }

  static Exploration closing(Class<?> scenario) {
    return new Exploration(scenario).of("poll, close", "task, task").of("close", "task", "task");
  }

  /** One core's section, entered as a poller enters it. */
  public static class Section {
    private final AtomicInteger wakeups = new AtomicInteger();
    private final PollSection section = new PollSection(true, wakeups::incrementAndGet);
    private final AtomicInteger inside = new AtomicInteger();
    private final AtomicInteger sent = new AtomicInteger();
    private final AtomicInteger ran = new AtomicInteger();
    private volatile boolean together;

    @Operation
    public void task() {
      sent.incrementAndGet();
      section.execute(
          () -> {
            alone();
            ran.incrementAndGet();
          });
    }

    @Operation
    public void poll() {
      if (section.tryEnter()) {
        alone();
        section.runTasks();
        section.exit();
      }
    }

    /** As an idle worker does for a core that is stuck. */
    @Operation
    public void takeOver() {
      poll();
    }

    /** The worker has ended. No thread waits here: without a holder it would be a single thread. */
    @Operation
    public void close() {
      if (section.tryEnter()) {
        section.close();
        section.exit();
      }
    }

    private void alone() {
      if (inside.getAndIncrement() != 0) {
        together = true;
      }
      inside.getAndDecrement();
    }

    @Validate
    public void check() {
      if (together) {
        throw new AssertionError("two at a time");
      }
      if (section.hasTasks()) {
        throw new AssertionError("a task is left behind");
      }
      if (!section.isClosed() && ran.get() != sent.get()) {
        throw new AssertionError(ran + " of " + sent + " have run");
      }
    }
  }
}
