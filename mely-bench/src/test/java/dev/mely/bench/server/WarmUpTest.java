package dev.mely.bench.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.bench.ResultTable;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** When a server is warm: never by the clock alone. */
class WarmUpTest {
  private static final long SECOND = 1_000_000_000;

  private final WarmUp warmUp = new WarmUp();

  private boolean add(double cpuPerAnswer, double compilers) {
    return warmUp.add(new WarmUp.Slice(cpuPerAnswer, SECOND, compilers * SECOND));
  }

  @Test
  void isWarmAfterThreeAlike() {
    assertFalse(add(9.9, 0));
    assertFalse(add(10, 0));
    assertTrue(add(10.1, 0));
  }

  @Test
  void looksAtTheLastThree() {
    assertFalse(add(20, 0.5));
    assertFalse(add(10, 0.01));
    assertFalse(add(10, 0.01));
    assertFalse(add(10, 0.01)); // one percent in all
    assertTrue(add(10, 0.005));
    assertFalse(add(10.4, 0));
  }

  @ParameterizedTest
  @CsvSource({"10, 10.2, 10.4, 0", "10, 10, NaN, 0", "10, 10, 10, 0.04", "0, 0, NaN, 0"})
  void isNotWarm(double first, double second, double third, double compilers) {
    assertFalse(add(first, 0));
    assertFalse(add(second, 0));
    assertFalse(add(third, compilers));
  }

  @Test
  void doesWithoutCompilersThatItCannotSee() {
    add(10, Double.NaN);
    add(10, Double.NaN);
    assertTrue(add(10, Double.NaN));
  }

  /** Each slice costs so much per answer, the last one again and again. */
  private static Map<String, Double> run(long limitNanos, long... costs)
      throws IOException, InterruptedException {
    Server server =
        new Server() {
          private long cpu;
          private int looks;

          @Override
          public int port() {
            return 0;
          }

          /** Looked at twice a slice, before it and after it. */
          @Override
          public Usage usage() {
            if (looks++ % 2 == 1) {
              cpu += costs[Math.min(looks / 2, costs.length) - 1] * 100;
            }
            return new Usage(cpu, 0, Steals.NONE, new JvmCpu(5, 5, 5), List.of(), Footprint.NONE);
          }

          @Override
          public void close() {}
        };
    Map<String, Double> sample = new HashMap<>();
    int[] slices = new int[1];
    WarmUp.run(
        server,
        nanos -> {
          Thread.sleep(limitNanos < SECOND ? nanos / 1_000_000 : 0);
          slices[0]++;
          return 100;
        },
        limitNanos,
        sample);
    sample.put("slices", (double) slices[0]);
    return sample;
  }

  @Test
  void endsWhenItIsFlat() throws Exception {
    Map<String, Double> sample = run(600 * SECOND, 30, 20, 10);
    assertEquals(1, sample.get(ResultTable.WARM));
    assertEquals(5, sample.get("slices"));
    assertTrue(sample.get(WarmUp.SECONDS) < 600);
  }

  @Test
  void saysThatItWasNotInTime() throws Exception {
    Map<String, Double> sample = run(6_000_000, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048);
    assertEquals(0, sample.get(ResultTable.WARM));
    assertTrue(sample.get(WarmUp.SECONDS) >= 0.006);
  }
}
