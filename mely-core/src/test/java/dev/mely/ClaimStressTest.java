package dev.mely;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The claims of {@link LincheckColorTest} on real threads, and so with all compilers of the virtual
 * machine. Without Lincheck, whose stress mode has once, on JDK 25, reported what no color can do:
 * two claims that both succeed, and leave the color where it was.
 */
@Timeout(600)
class ClaimStressTest {
  private static final int COLORS = 20_000;
  private static final int ROUNDS = 100;

  private final Color[] colors = new Color[COLORS];

  /** By color, how often it has been claimed. Plain: the next claim must see it. */
  private final int[] claimed = new int[COLORS];

  private final CyclicBarrier round = new CyclicBarrier(2);

  @Test
  void exactlyOneClaimsAColorOnRealThreads() throws Exception {
    Arrays.setAll(colors, i -> new Color(new MonitorHost(1, 0), 0, false));
    for (Color color : colors) {
      color.queue(0);
    }
    ExecutorService threads = Executors.newFixedThreadPool(2);
    try {
      List<Future<Integer>> won = threads.invokeAll(List.of(thief(1), thief(2)));
      assertEquals(COLORS * ROUNDS, won.get(0).get() + won.get(1).get());
    } finally {
      threads.shutdownNow();
    }
    for (int times : claimed) {
      assertEquals(ROUNDS, times);
    }
  }

  /** Claims what it can of each round, and lets it wait again for the next one. */
  private Callable<Integer> thief(int core) {
    return () -> {
      try {
        return steal(core);
      } finally {
        round.reset(); // one that fails shall not leave the other one waiting
      }
    };
  }

  private int steal(int core) throws Exception {
    int won = 0;
    for (int n = 0; n < ROUNDS; n++) {
      round.await();
      for (int i = 0; i < COLORS; i++) {
        Color color = colors[i];
        if (color.claim(0, core)) {
          won++;
          assertEquals(core, color.core());
          assertEquals(n, claimed[i]++);
        }
      }
      round.await();
      for (int i = core - 1; i < COLORS; i += 2) { // each its half, from any owner
        colors[i].queue(0);
      }
    }
    return won;
  }
}
