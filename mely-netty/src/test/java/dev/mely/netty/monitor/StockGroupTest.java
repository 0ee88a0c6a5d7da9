package dev.mely.netty.monitor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.List;
import org.junit.jupiter.api.Test;

/** The first 40 of a slice's 50 milliseconds are counted. */
class StockGroupTest {
  private static final long MILLI = 1_000_000;
  private static final double PRECISION = 1e-9;
  private static final int CPUS = 2;

  /** Not the time that ticks are told: that is some while ago. */
  private long clock = 3 * MILLI;

  private final StockGroup group = new StockGroup("own");
  private final StockLoop first = new StockLoop(() -> clock);
  private final StockLoop second = new StockLoop(() -> clock);

  StockGroupTest() {
    group.add(first);
    group.add(second);
  }

  private void runs(StockLoop loop, Object what, long nanos) {
    loop.recorder().begin(what);
    clock += nanos;
    loop.recorder().end();
  }

  /** One slice, of half of which the first loop runs a channel. */
  private void slice(long at) {
    group.tick(at);
    runs(first, "a", 25 * MILLI);
    clock += 25 * MILLI;
    group.tick(at + 50 * MILLI);
  }

  private GroupFigures take() {
    return group.take(1_000 * MILLI, CPUS);
  }

  private static void assertIdle(GroupFigures figures) {
    for (CoreFigures core : figures.cores()) {
      assertEquals(0, core.busy(), PRECISION);
      assertEquals(0, core.waiting(), PRECISION);
      assertEquals(0, core.events(), PRECISION);
    }
    assertEquals(0, figures.running(), PRECISION);
    assertEquals(List.of(), figures.colors());
  }

  @Test
  void tellsWhatRanInASlice() {
    group.begin(0);
    slice(0);
    GroupFigures figures = take();
    assertEquals(25.0 / 40, figures.cores().get(0).busy(), PRECISION);
    assertEquals(1 / 0.05, figures.cores().get(0).events(), PRECISION);
    assertEquals(0, figures.cores().get(1).busy(), PRECISION);
    assertEquals(25.0 / 40, figures.running(), PRECISION);
    assertEquals(List.of(new Heavy("a", 25.0 / 40, null, null, null, null)), figures.colors());
    assertIdle(take());
  }

  /** The page is closed within a second, and opened again. */
  @Test
  void whatWasSeenBeforeIsForgotten() {
    group.begin(0);
    slice(0);
    group.end();
    long again = 5_000 * MILLI;
    group.begin(again);
    group.tick(again);
    clock += 50 * MILLI;
    group.tick(again + 50 * MILLI);
    assertIdle(take());
  }

  /** One loop has so much to tell that it stops early: what the other one ran later is not seen. */
  @Test
  void whatIsNotKnownOfALoopIsNotCounted() {
    group.begin(0);
    group.tick(0);
    for (int i = 0; i < 2_048; i++) {
      runs(first, "short", 10_000);
    }
    runs(first, "unseen", MILLI);
    runs(second, "late", MILLI);
    group.tick(50 * MILLI);
    GroupFigures figures = take();
    assertEquals(1, figures.cores().get(0).busy(), PRECISION);
    assertEquals(1e9 / 10_000, figures.cores().get(0).events(), 1);
    assertEquals(0, figures.cores().get(1).busy(), PRECISION);
    assertEquals(List.of("short"), figures.colors().stream().map(Heavy::name).toList());
  }

  @Test
  void aSuspendedLoopIsIdle() throws InterruptedException {
    Thread thread =
        new Thread(
            () -> {
              first.recorder().bind();
              first.recorder().begin(LoopRecorder.TASKS);
            });
    thread.start();
    thread.join();
    group.begin(0);
    group.tick(0);
    clock += 50 * MILLI;
    group.tick(50 * MILLI);
    GroupFigures figures = take();
    assertIdle(figures);
    assertNull(figures.cores().get(0).now());
    assertEquals(0, figures.cores().get(0).stuckMillis());
  }

  @Test
  void aChannelWhoseNameIsNotToldIsShown() {
    Object broken =
        new Object() {
          @Override
          public String toString() {
            throw new IllegalStateException("planned");
          }
        };
    group.begin(0);
    group.tick(0);
    runs(first, broken, 20 * MILLI);
    first.recorder().begin(broken);
    clock += 30 * MILLI;
    group.tick(50 * MILLI);
    GroupFigures figures = take();
    assertEquals(broken.getClass().getName(), figures.colors().get(0).name());
    assertEquals(broken.getClass().getName(), figures.cores().get(0).now());
  }

  @Test
  void countsChannels() {
    first.recorder().registered();
    second.recorder().registered();
    second.recorder().registered();
    second.recorder().unregistered();
    assertEquals(2, take().channels());
  }
}
