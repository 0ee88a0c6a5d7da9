package dev.mely.netty.monitor;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.mely.netty.monitor.MelyGroup.Look;
import dev.mely.report.ColorState;
import dev.mely.report.CoreState;
import dev.mely.report.Statistics.Figure;
import dev.mely.report.Statistics.PerCore;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class MelyGroupTest {
  private record Core(boolean isParked, int colorsWaiting) implements CoreState {
    @Override
    public @Nullable ColorState running() {
      return null;
    }

    @Override
    public List<ColorState> waiting() {
      return List.of();
    }

    @Override
    public long progress() {
      return 0;
    }

    @Override
    public List<StackTraceElement> stack() {
      return List.of();
    }
  }

  /** Has counted nothing. */
  private record Still(int core) implements PerCore {
    @Override
    public long get(Figure figure) {
      return 0;
    }

    @Override
    public long stolenFrom(int victim) {
      return 0;
    }
  }

  private static Core idle(int waiting) {
    return new Core(true, waiting);
  }

  private static Core busy(int waiting) {
    return new Core(false, waiting);
  }

  private static void assertLook(int idle, int waiting, int more, Look look) {
    assertEquals(new Look(idle, waiting), look);
    assertEquals(more, look.more());
  }

  @Test
  void idleCoresCouldRunWhatWaitsElsewhere() {
    assertLook(1, 3, 1, Look.of(List.of(busy(3), idle(0)), i -> true));
    assertLook(2, 1, 1, Look.of(List.of(idle(0), busy(1), idle(0)), i -> true));
    assertLook(0, 5, 0, Look.of(List.of(busy(2), busy(3)), i -> true));
    assertLook(2, 0, 0, Look.of(List.of(idle(0), idle(0)), i -> true));
  }

  /** It is about to take it, or has been called for it. */
  @Test
  void whatWaitsForAnIdleCoreIsItsOwn() {
    assertLook(1, 0, 0, Look.of(List.of(busy(0), idle(2)), i -> true));
    assertLook(2, 0, 0, Look.of(List.of(idle(1), idle(1)), i -> true));
  }

  /** By the time that the last core is read the first one may be at work. */
  @Test
  void aCoreThatWakesUpInBetweenIsNotIdle() {
    assertLook(0, 4, 0, Look.of(List.of(idle(1), busy(3)), i -> false));
    assertLook(1, 3, 1, Look.of(List.of(idle(0), busy(3), idle(0)), i -> i == 2));
    assertLook(0, 3, 0, Look.of(List.of(busy(3)), i -> true));
  }

  /** What one page saw is not what the next one sees. */
  @Test
  void aCoreBeginsEachSecondAnew() {
    MelyCore core = new MelyCore("core 0");
    PerCore still = new Still(0);
    core.look(busy(3), 0);
    assertEquals(3, core.take(busy(0), still, still, 1, 1, 1).waiting());
    core.beginSecond();
    core.look(busy(1), 0);
    assertEquals(1, core.take(busy(0), still, still, 1, 1, 1).waiting());
  }
}
