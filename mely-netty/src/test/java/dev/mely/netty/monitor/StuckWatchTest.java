package dev.mely.netty.monitor;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StuckWatchTest {
  private static final long MILLI = 1_000_000;

  private final StuckWatch watch = new StuckWatch();

  @Test
  void whatRunsForLongIsStuck() {
    assertEquals(0, watch.stuckMillis(0), "not seen yet");
    watch.look(true, 5, 1_000 * MILLI);
    watch.look(true, 5, 1_099 * MILLI);
    assertEquals(0, watch.stuckMillis(1_099 * MILLI));
    assertEquals(100, watch.stuckMillis(1_100 * MILLI));
    assertEquals(4_000, watch.stuckMillis(5_000 * MILLI));
  }

  @Test
  void anotherEventBeginsAnew() {
    watch.look(true, 5, 0);
    watch.look(true, 6, 200 * MILLI);
    assertEquals(0, watch.stuckMillis(200 * MILLI));
    assertEquals(150, watch.stuckMillis(350 * MILLI));
  }

  @Test
  void anIdleCoreIsNotStuck() {
    watch.look(true, 5, 0);
    watch.look(false, 5, 200 * MILLI);
    assertEquals(0, watch.stuckMillis(900 * MILLI));
    watch.look(true, 5, 1_000 * MILLI);
    assertEquals(0, watch.stuckMillis(1_000 * MILLI), "it was idle in between");
  }

  /** A core's count may be any number. */
  @ParameterizedTest
  @ValueSource(longs = {-1, 0, Long.MIN_VALUE})
  void noNumberIsSpecial(long begun) {
    watch.look(true, begun, 1_000 * MILLI);
    watch.look(true, begun, 1_150 * MILLI);
    assertEquals(200, watch.stuckMillis(1_200 * MILLI));
    watch.look(true, begun + 1, 1_200 * MILLI);
    assertEquals(0, watch.stuckMillis(1_250 * MILLI));
  }
}
