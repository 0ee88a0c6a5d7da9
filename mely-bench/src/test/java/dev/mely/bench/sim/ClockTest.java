package dev.mely.bench.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class ClockTest {
  @Test
  void theLeastTimeIsNextAndOfEqualOnesTheLowestNumber() {
    Clock clock = new Clock(3);
    assertEquals(-1, clock.next());
    clock.set(2, 10);
    clock.set(1, 20);
    clock.set(0, 20);
    assertEquals(2, clock.next());
    assertEquals(10, clock.now());
    clock.set(2, Clock.NEVER);
    assertEquals(0, clock.next());
    clock.set(0, 21);
    assertEquals(1, clock.next());
    assertEquals(20, clock.now());
  }

  /** Against a search of all, with times that move either way. */
  @Test
  void neverMissesOne() {
    SplittableRandom random = new SplittableRandom(1);
    long[] times = new long[37];
    Clock clock = new Clock(times.length);
    Arrays.fill(times, Clock.NEVER);
    for (int i = 0; i < 20_000; i++) {
      int actor = random.nextInt(times.length);
      times[actor] = random.nextInt(8) == 0 ? Clock.NEVER : random.nextInt(100);
      clock.set(actor, times[actor]);
      int least = 0;
      for (int a = 1; a < times.length; a++) {
        least = times[a] < times[least] ? a : least;
      }
      assertEquals(times[least] == Clock.NEVER ? -1 : least, clock.next(), "step " + i);
    }
  }
}
