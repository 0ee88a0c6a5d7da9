package dev.mely.bench.kafka;

import dev.mely.bench.Json;
import dev.mely.bench.OtherProcesses;
import dev.mely.bench.ResultTable;
import dev.mely.bench.server.JvmProcess;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Runs a contender's round in a fresh JVM, and checks that it has done its work. */
final class Round {
  private Round() {}

  /**
   * Takes a sample.
   *
   * @return the figures of {@link Ledger#figures}, and the CPU time of others
   * @throws IllegalStateException if a record was left out, handled twice or out of order; the
   *     figures would be those of other work
   */
  static Map<String, Double> run(RoundSetup setup, Broker broker, List<String> jvmArgs)
      throws IOException {
    OtherProcesses others = OtherProcesses.start();
    long brokerNanos = broker.cpuNanos();
    long start = System.nanoTime();
    Map<String, Double> figures = new HashMap<>();
    try (JvmProcess jvm = JvmProcess.start(RoundMain.class, jvmArgs, Json.line(setup))) {
      Map<?, ?> said = Objects.requireNonNull(Json.read(jvm.answer(), Map.class));
      said.forEach(
          (name, value) ->
              figures.put((String) name, value instanceof Number n ? n.doubleValue() : Double.NaN));
    }
    long nanos = System.nanoTime() - start;
    brokerNanos = broker.cpuNanos() - brokerNanos;
    long own = Math.round(figures.getOrDefault(RoundMain.CPU_NANOS, 0.0));
    figures.remove(RoundMain.CPU_NANOS);
    figures.put(
        "brokerMicros", brokerNanos / 1e3 / Math.max(1, figures.getOrDefault("handled", 0.0)));
    figures.put(
        ResultTable.OTHERS,
        (double) Math.max(0, others.nanos(own + brokerNanos)) / Math.max(1, nanos));
    check(setup, figures);
    return figures;
  }

  private static void check(RoundSetup setup, Map<String, Double> figures) {
    String name = setup.contender().label();
    if (figures.getOrDefault(RoundMain.IN_TIME, 0.0) == 1) {
      require(figures, name, "handled", setup.records());
    }
    require(figures, name, "repeated", 0);
    if (setup.contender().keepsOrder()) {
      require(figures, name, "disordered", 0);
    }
    if (figures.containsKey(RoundMain.COMMITTED)) {
      require(figures, name, RoundMain.COMMITTED, setup.records());
    }
  }

  private static void require(
      Map<String, Double> figures, String contender, String figure, long wanted) {
    long is = Math.round(figures.getOrDefault(figure, -1.0));
    if (is != wanted) {
      throw new IllegalStateException(
          contender + ": records " + figure + ": " + is + ", which should be " + wanted);
    }
  }
}
