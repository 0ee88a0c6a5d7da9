package dev.mely.bench.kafka;

import dev.mely.bench.Json;
import dev.mely.bench.OtherProcesses;
import dev.mely.bench.server.JvmProcess;
import java.util.Map;
import java.util.Objects;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;

/** The JVM of a round. Consumes a topic, prints the figures and ends. */
final class RoundMain {
  /** A figure: CPU time of this JVM from its start to its end. */
  static final String CPU_NANOS = "cpuNanos";

  /** A figure: what the group has committed; absent of a share group. */
  static final String COMMITTED = "committed";

  /** A figure: 1 if all records were handled within the limit, else 0. */
  static final String IN_TIME = "inTime";

  private RoundMain() {}

  /**
   * Consumes.
   *
   * @param args a {@link RoundSetup}, as JSON
   */
  public static void main(String[] args) throws Exception {
    RoundSetup setup = Objects.requireNonNull(Json.read(args[0], RoundSetup.class));
    Ledger ledger = new Ledger(setup);
    Consumption consumer = setup.contender().start(setup, ledger);
    boolean inTime = ledger.await(setup.seconds());
    if (inTime) {
      consumer.end();
    }
    Map<String, Double> figures = ledger.figures();
    figures.put(IN_TIME, inTime ? 1.0 : 0.0);
    if (inTime && setup.contender() != Contender.SHARE_GROUP) {
      figures.put(COMMITTED, (double) committed(setup));
    }
    figures.put(CPU_NANOS, (double) OtherProcesses.processNanos());
    JvmProcess.say(Json.line(figures));
    System.exit(0); // whatever threads a contender has left
  }

  private static long committed(RoundSetup setup) throws Exception {
    try (Admin admin =
        Admin.create(Map.of(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, setup.address()))) {
      return admin
          .listConsumerGroupOffsets(setup.group())
          .partitionsToOffsetAndMetadata()
          .get()
          .values()
          .stream()
          .mapToLong(OffsetAndMetadata::offset)
          .sum();
    }
  }
}
