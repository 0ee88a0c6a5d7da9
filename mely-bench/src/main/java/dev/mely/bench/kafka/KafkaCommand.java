package dev.mely.bench.kafka;

import dev.mely.bench.BenchCommand;
import dev.mely.bench.Environment;
import dev.mely.bench.Labels;
import dev.mely.bench.ResultFile;
import dev.mely.bench.ResultTable;
import dev.mely.bench.Results;
import dev.mely.bench.Retakes;
import dev.mely.bench.Score;
import dev.mely.topology.AllowedCpus;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.common.utils.AppInfoParser;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Compares consumers of a Kafka topic. */
@Command(
    name = "kafka",
    description =
        "Consumers of a Kafka topic on a real broker: Mely's, Kafka's own, others. All read the"
            + " same topic from its beginning, in turn, each in a JVM of its own.")
public final class KafkaCommand extends BenchCommand {
  private static final int MAX_RECORDS = 100_000_000;

  /** The default of parallel-consumer, where handlers compute. */
  static final int THREADS = 16;

  /** Of handlers that wait. */
  private static final int WAITING_THREADS = 32;

  @Option(
      names = "--contenders",
      paramLabel = "<name>",
      split = ",",
      description = "consumers, separated by commas (default: all that run here: ${DEFAULT-VALUE})")
  private List<String> names = Contender.labels();

  @Option(
      names = "--keys",
      paramLabel = "<name>",
      split = ",",
      description =
          "even: each key is as likely; skewed: one key has half of the records; cycle: each in"
              + " turn (default: ${DEFAULT-VALUE})")
  private List<String> keys = List.of("even", "skewed");

  @Option(
      names = "--key-count",
      paramLabel = "<n>",
      description = "different keys (default: ${DEFAULT-VALUE})")
  private int keyCount = 10_000;

  @Option(
      names = "--work",
      paramLabel = "<time>",
      split = ",",
      description =
          "what a handler does: us: it computes, ms: it sleeps (default: ${DEFAULT-VALUE})")
  private List<String> work = List.of("1us", "100us", "5ms");

  @Option(
      names = "--partitions",
      paramLabel = "<n>",
      split = ",",
      description = "partitions of the topic (default: ${DEFAULT-VALUE})")
  private List<Integer> partitions = List.of(1, 8);

  @Option(
      names = "--records",
      paramLabel = "<n>",
      description = "records of the topic, of which the first half is a warm-up (default: by work)")
  private @Nullable Integer records;

  @Option(
      names = "--rounds",
      paramLabel = "<n>",
      description = "samples of each consumer (default: ${DEFAULT-VALUE})")
  private int rounds = 5;

  @Option(
      names = "--cores",
      paramLabel = "<n>",
      description = "Mely's cores, and carriers of virtual threads (default: the CPUs)")
  private @Nullable Integer cores;

  @Option(
      names = "--threads",
      paramLabel = "<n>",
      description =
          "threads of parallel-consumer, consumers of share-group, and calls of mely-async before"
              + " JDK 21 (default: 16, as of parallel-consumer; 32 if handlers sleep)")
  private @Nullable Integer threads;

  @Option(
      names = "--limit",
      paramLabel = "<s>",
      description = "seconds after which a round is cut off (default: ${DEFAULT-VALUE})")
  private int limit = 60;

  @Option(names = "--seed", description = "seed of the keys (default: ${DEFAULT-VALUE})")
  private long seed = 1;

  @Option(
      names = "--jvm-arg",
      paramLabel = "<flag>",
      description =
          "a flag of the measured JVMs, and of the broker's; may be repeated (default: -Xms1g"
              + " -Xmx1g)")
  private List<String> jvmArgs = List.of("-Xms1g", "-Xmx1g");

  @Option(
      names = "--json",
      paramLabel = "<file>",
      description =
          "where to write the samples of a single table (default: named after it, in"
              + " mely-bench/target)")
  private @Nullable Path json;

  @Mixin private Retakes retakes = new Retakes();

  private final AtomicInteger groups = new AtomicInteger();

  /** What is compared in a table. */
  private record Cell(Effort effort, Keys keys, int partitions) {
    String load() {
      return effort.label() + " " + keys.label() + " " + partitions + "p";
    }
  }

  @Override
  public Integer call() throws Exception {
    List<Contender> contenders = Labels.parseAll(spec, names, Contender::parse);
    List<Cell> cells = cells();
    check(cells);
    Environment environment = Environment.of(cores(), false, String.join(" ", jvmArgs));
    System.out.print(environment);
    System.out.println("Kafka " + AppInfoParser.getVersion());
    try (Broker broker = Broker.start(jvmArgs)) {
      for (Cell cell : cells) {
        run(cell, contenders, environment, broker);
      }
    }
    return 0;
  }

  private List<Cell> cells() {
    List<Cell> cells = new ArrayList<>();
    for (Effort effort : Labels.parseAll(spec, work, Effort::parse)) {
      for (Keys choice : Labels.parseAll(spec, keys, Keys::parse)) {
        for (int count : partitions) {
          cells.add(new Cell(effort, choice, inRange("--partitions", count, 1, 1_000)));
        }
      }
    }
    return cells;
  }

  private void check(List<Cell> cells) {
    inRange("--key-count", keyCount, 1, 100_000_000);
    inRange("--rounds", rounds, 1, 1_000);
    inRange("--cores", cores(), 1, 256);
    inRange("--limit", limit, 1, 36_000);
    for (Cell cell : cells) {
      inRange("--records", records(cell), 10, MAX_RECORDS);
      inRange("--threads", threads(cell), 1, 200); // the most that a share group may have
    }
    if (json != null && cells.size() > 1) {
      throw misuse("--json is for one table, but there are " + cells.size());
    }
  }

  private void run(Cell cell, List<Contender> chosen, Environment environment, Broker broker)
      throws Exception {
    List<Contender> contenders =
        Contender.playing(spec, chosen, cell.effort, cell.partitions, cell.load());
    Topic topic =
        new Topic(
            cell.load().replace(' ', '-'), cell.partitions, records(cell), keyCount, cell.keys);
    System.out.printf(
        Locale.ROOT,
        "%n%s: %,d records of 100 B, %,d keys, %d threads; %d rounds%n",
        cell.load(),
        topic.records(),
        keyCount,
        threads(cell),
        rounds);
    topic.fill(broker.address(), seed);
    Contender reference =
        contenders.contains(Contender.PLAIN) ? Contender.PLAIN : contenders.get(0);
    Map<String, String> references = new LinkedHashMap<>();
    Map<String, Callable<Map<String, Double>>> takers = new LinkedHashMap<>();
    for (Contender contender : contenders) {
      references.put(contender.label(), reference.label());
      takers.put(
          contender.label(),
          () -> Round.run(setup(cell, contender, topic, broker), broker, jvmArgs));
    }
    Map<String, Object> dependsOn = new LinkedHashMap<>(environment.toMap());
    dependsOn.put("kafka", AppInfoParser.getVersion());
    dependsOn.put("records", topic.records());
    dependsOn.put("keys", keyCount);
    dependsOn.put("threads", threads(cell));
    dependsOn.put("seed", seed);
    if (rounds > 1) { // the broker's own warm-up
      Round.run(setup(cell, contenders.get(0), topic, broker), broker, jvmArgs);
    }
    Results results =
        new Results(
            "kafka",
            cell.load(),
            new Score("recordsPerSecond", "records/s", 1, 0, true),
            references,
            dependsOn,
            retakes.inTurn("kafka " + cell.load(), rounds, takers));
    System.out.println();
    System.out.print(report(results, reference));
    System.out.println("Samples: " + ResultFile.write(json, results));
  }

  private RoundSetup setup(Cell cell, Contender contender, Topic topic, Broker broker) {
    return new RoundSetup(
        contender,
        broker.address(),
        topic.name(),
        "group-" + groups.incrementAndGet(),
        topic.partitions(),
        topic.records(),
        topic.records() / 2,
        keyCount,
        cell.effort,
        cores(),
        threads(cell),
        limit);
  }

  private int records(Cell cell) {
    return records != null ? records : cell.effort.records();
  }

  private int cores() {
    return cores != null ? cores : AllowedCpus.system().recommendedWorkers();
  }

  private int threads(Cell cell) {
    return threads != null ? threads : cell.effort.waits() ? WAITING_THREADS : THREADS;
  }

  static String report(Results results, Contender reference) {
    return new ResultTable("consumer", results)
            .score("× " + reference.label())
            .median("CPU µs/record", "cpuMicros", 2)
            .median("CPUs", "cpus", 2)
            .median("broker µs/record", "brokerMicros", 2)
            .median("out of order", "disordered", 0)
            .share("in time", RoundMain.IN_TIME)
            .median("others CPUs", ResultTable.OTHERS, 2)
        + """

        Medians of the rounds; ratios round by round with their range. Each round is a fresh JVM with a new
        group, which handles each record once; of all but share-group, those of a key in their order. Measured
        after the first half of the records, or of the time limit, until the last is handled. CPU: of the
        consumer's JVM, compilers and garbage collector included; broker: of the whole round. out of order:
        records that were handled before an earlier one of their key, or beside another. in time: rounds that
        were not cut off at the limit; the figures of one that was are of what it handled until then.
        At once: mely and plain as many as cores; parallel-consumer and share-group as many as threads;
        mely-async and virtual-threads up to 20,000. A share group acknowledges at each poll, the others
        commit once a second.
        """;
  }
}
