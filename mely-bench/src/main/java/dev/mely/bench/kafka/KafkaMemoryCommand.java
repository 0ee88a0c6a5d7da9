package dev.mely.bench.kafka;

import dev.mely.bench.BenchCommand;
import dev.mely.bench.Environment;
import dev.mely.bench.Json;
import dev.mely.bench.ResultFile;
import dev.mely.bench.ResultTable;
import dev.mely.bench.Results;
import dev.mely.bench.Retakes;
import dev.mely.bench.Score;
import dev.mely.bench.Table;
import dev.mely.bench.server.JvmProcess;
import dev.mely.topology.AllowedCpus;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Measures the heap that pending records and live keys take. */
@Command(
    name = "kafka-memory",
    description =
        "The heap of records that Mely's Kafka consumer has received and whose handlers are not"
            + " done: of few keys, and of a key each.")
public final class KafkaMemoryCommand extends BenchCommand {
  /** The configuration that the others are compared with. */
  static final String ALONE = "records in a list";

  static final String FEW = "few keys";
  static final String DISTINCT = "a key each";

  private static final String FIGURE = "bytesPerRecord";
  private static final int FEW_KEYS = 1_000;
  private static final List<String> BROKER = List.of("-Xmx1g");

  @Option(
      names = "--records",
      paramLabel = "<n>",
      description = "pending records (default: ${DEFAULT-VALUE})")
  private int records = 1_000_000;

  @Option(
      names = "--rounds",
      paramLabel = "<n>",
      description = "samples of each (default: ${DEFAULT-VALUE})")
  private int rounds = 3;

  @Option(
      names = "--jvm-arg",
      paramLabel = "<flag>",
      description = "a flag of the measured JVMs; may be repeated (default: -Xmx3g)")
  private List<String> jvmArgs = List.of("-Xmx3g");

  @Option(
      names = "--json",
      paramLabel = "<file>",
      description = "where to write the samples (default: a file in mely-bench/target)")
  private @Nullable Path json;

  private final AtomicInteger groups = new AtomicInteger();
  private final int cores = AllowedCpus.system().recommendedWorkers();

  @Override
  public Integer call() throws Exception {
    inRange("--records", records, 2 * FEW_KEYS, 10_000_000);
    inRange("--rounds", rounds, 1, 1_000);
    Environment environment = Environment.of(cores, false, String.join(" ", jvmArgs));
    System.out.print(environment);
    System.out.printf(
        Locale.ROOT,
        "%,d pending records of 100 B, of %,d keys or each of its own%n",
        records,
        FEW_KEYS);
    Map<String, String> references = new LinkedHashMap<>();
    List.of(ALONE, FEW, DISTINCT).forEach(name -> references.put(name, ALONE));
    Map<String, Object> dependsOn = new LinkedHashMap<>(environment.toMap());
    dependsOn.put("records", records);
    dependsOn.put("fewKeys", FEW_KEYS);
    try (Broker broker = Broker.start(BROKER)) {
      Topic few = new Topic("few", 1, records, FEW_KEYS, Keys.CYCLE);
      Topic distinct = new Topic("distinct", 1, records, records, Keys.CYCLE);
      few.fill(broker.address(), 0);
      distinct.fill(broker.address(), 0);
      Map<String, Callable<Map<String, Double>>> takers = new LinkedHashMap<>();
      takers.put(ALONE, () -> sample(Contender.PLAIN, distinct, broker));
      takers.put(FEW, () -> sample(Contender.MELY, few, broker));
      takers.put(DISTINCT, () -> sample(Contender.MELY, distinct, broker));
      Results results =
          new Results(
              "kafka-memory",
              "",
              new Score(FIGURE, "B/record", 1, 0, false),
              references,
              dependsOn,
              new Retakes().inTurn("kafka-memory", rounds, takers));
      System.out.println();
      System.out.print(report(results, records));
      System.out.println("Samples: " + ResultFile.write(json, results));
    }
    return 0;
  }

  private Map<String, Double> sample(Contender contender, Topic topic, Broker broker)
      throws IOException {
    RoundSetup setup =
        new RoundSetup(
            contender,
            broker.address(),
            topic.name(),
            "group-" + groups.incrementAndGet(),
            topic.partitions(),
            topic.records(),
            0,
            topic.keys(),
            Effort.parse("0us"),
            cores,
            cores,
            0);
    try (JvmProcess jvm = JvmProcess.start(HeapMain.class, jvmArgs, Json.line(setup))) {
      return Map.of(FIGURE, Double.parseDouble(jvm.answer()) / topic.records());
    }
  }

  static String report(Results results, int records) {
    double alone = results.median(ALONE, FIGURE);
    double few = results.median(FEW, FIGURE);
    double perKey =
        (results.median(DISTINCT, FIGURE) - few) * records / Math.max(1, records - FEW_KEYS);
    return new ResultTable("pending", results)
            .score("× list")
            .column("B more", name -> Table.number(results.median(name, FIGURE) - alone, 0))
        + "\nA pending record takes "
        + Table.number(few - alone, 0)
        + " B beside itself, a live key with a handler at work "
        + Table.number(perKey, 0)
        + """
         B more.
        Growth of the heap after a full collection, with Kafka's record, key and value, and a MB or so of the
        consumer itself; medians of the rounds. Handlers are asynchronous and never done; each has
        a future of its own.
        """;
  }
}
