package dev.mely.bench.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Objects;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Servers whose clients wait for answers. */
class ServersTest {
  private static final double CYCLES_PER_NANO = 2.33;

  private static Run run(String server, String configuration, int cores, int clients, long events) {
    Machine machine = Machines.make("one-cache", cores, Costs.free());
    Program program = Programs.make(server, new Programs.Load(0, clients, 1));
    Run run = Runtimes.begin(configuration, machine, program, 1);
    run.runUntil(events);
    return run;
  }

  private static Histogram latencies(Run run) {
    return Objects.requireNonNull(run.latencies());
  }

  /** Where only handlers cost anything, a lone client waits for its own handlers and no longer. */
  @ParameterizedTest
  @CsvSource({"libasync", "mely-spinlock-all", "mely"})
  void aLoneClientWaitsForItsOwnHandlers(String configuration) {
    Run run = run("sws", configuration, 1, 1, 3_000);
    double cycles = 1_500 + 500 + 5_000 + 2_000 + 1_000 + 12_000;
    double expected = cycles / CYCLES_PER_NANO;
    assertEquals(expected, latencies(run).getMinValue(), 0.002 * expected);
    assertEquals(expected, latencies(run).getMaxValue(), 0.002 * expected);
    // Five events each: Epoll among them.
    assertEquals(3_000 / 5.0, run.answers(), 0.05 * 600);
  }

  /** Who arrives while others are found waits for the handlers of one, and is not forgotten. */
  @ParameterizedTest
  @CsvSource({"libasync", "mely-spinlock-all", "mely"})
  void ofTwoClientsNobodyWaitsForTheNextToArrive(String configuration) {
    Histogram latencies = latencies(run("sws", configuration, 1, 2, 6_000));
    assertTrue(
        latencies.getMaxValue() < 2.5 * latencies.getMinValue(),
        latencies.getMinValue() + " to " + latencies.getMaxValue());
  }

  /** A client asks again when it has its answer, not before: no more latencies than answers. */
  @ParameterizedTest
  @CsvSource({"sws, 3", "sfs, 3", "web03, 3"})
  void clientsWaitForAnswers(String server, int clients) {
    for (String configuration : List.of("libasync-ws", "mely-spinlock-all", "mely-all")) {
      Run run = run(server, configuration, 2, clients, 2_000);
      assertEquals(run.answers(), latencies(run).getTotalCount(), configuration);
      assertTrue(run.answers() > 150, configuration + ": " + run.answers());
      double seconds = run.simulation().machine().clock().now() / 1e12;
      double away = 50e-6; // the least time from an answer to the next request is longer
      int atATime = server.equals("sfs") ? 8 * clients : clients;
      assertTrue(run.answers() <= atATime * (seconds / away + 1), configuration);
    }
  }

  /**
   * SFS: all but encryption has one color, so that more cores help up to what Amdahl allows, 100 /
   * 35, and stealing comes near to it.
   */
  @Test
  void theDefaultColorBoundsSfs() {
    double one = perSecond(run("sfs", "mely-all", 1, 16, 4_000));
    double eight = perSecond(run("sfs", "mely-all", 8, 16, 4_000));
    assertTrue(eight < 1.01 * one / 0.35, one + ", " + eight);
    assertTrue(eight > 0.9 * one / 0.35, one + ", " + eight);
  }

  private static double perSecond(Run run) {
    return run.answers() / (run.simulation().machine().clock().now() / 1e12);
  }
}
