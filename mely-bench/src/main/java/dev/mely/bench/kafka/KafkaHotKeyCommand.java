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
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.common.utils.AppInfoParser;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Measures what a hot key costs the others. */
@Command(
    name = "kafka-hot-key",
    description =
        "How long the records of a Kafka topic take from when they are due until they are handled,"
            + " without a hot key and beside one. They are sent at random times, at a given rate.")
public final class KafkaHotKeyCommand extends BenchCommand {
  private static final String HOT = " beside a hot key";
  private static final String P99 = "p99Micros";

  /** For a JVM to start, and for what is behind at the end. */
  private static final int SPARE_SECONDS = 30;

  @Option(
      names = "--contenders",
      paramLabel = "<name>",
      split = ",",
      description = "consumers, separated by commas (default: ${DEFAULT-VALUE})")
  private List<String> names = List.of("mely", "virtual-threads", "parallel-consumer", "plain");

  @Option(
      names = "--work",
      paramLabel = "<time>",
      description = "what a handler does: us: it computes (default: ${DEFAULT-VALUE})")
  private String work = "100us";

  @Option(
      names = "--rate",
      paramLabel = "<n>",
      description = "records per second of the other keys together (default: ${DEFAULT-VALUE})")
  private int rate = 1_000;

  @Option(
      names = "--hot-rate",
      paramLabel = "<n>",
      description = "records per second of the hot key (default: ${DEFAULT-VALUE})")
  private int hotRate = 6_000;

  @Option(
      names = "--key-count",
      paramLabel = "<n>",
      description = "other keys (default: ${DEFAULT-VALUE})")
  private int keyCount = 1_000;

  @Option(
      names = "--seconds",
      paramLabel = "<s>",
      description =
          "how long records are sent in a round, of which the first half is a warm-up (default:"
              + " ${DEFAULT-VALUE})")
  private int seconds = 16;

  @Option(
      names = "--rounds",
      paramLabel = "<n>",
      description = "samples of each (default: ${DEFAULT-VALUE})")
  private int rounds = 3;

  @Option(names = "--seed", description = "seed of the arrivals (default: ${DEFAULT-VALUE})")
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
      description = "where to write the samples (default: a file in mely-bench/target)")
  private @Nullable Path json;

  @Mixin private Retakes retakes = new Retakes();

  private final AtomicInteger topics = new AtomicInteger();
  private final int cores = AllowedCpus.system().recommendedWorkers();

  @Override
  public Integer call() throws Exception {
    Effort effort = Labels.parseAll(spec, List.of(work), Effort::parse).get(0);
    List<Contender> contenders =
        Contender.playing(
            spec, Labels.parseAll(spec, names, Contender::parse), effort, 1, "kafka-hot-key");
    inRange("--rate", rate, 10, 1_000_000);
    inRange("--hot-rate", hotRate, 1, 1_000_000);
    inRange("--key-count", keyCount, 1, 10_000_000);
    inRange("--seconds", seconds, 1, 600);
    inRange("--rounds", rounds, 1, 1_000);
    Environment environment = Environment.of(cores, false, String.join(" ", jvmArgs));
    System.out.print(environment);
    System.out.printf(
        Locale.ROOT,
        "Kafka %s; handlers of %s; %,d records/s of %,d keys, and %,d records/s of a hot key%n",
        AppInfoParser.getVersion(),
        effort.label(),
        rate,
        keyCount,
        hotRate);
    try (Broker broker = Broker.start(jvmArgs)) {
      Map<String, String> references = new LinkedHashMap<>();
      Map<String, Callable<Map<String, Double>>> takers = new LinkedHashMap<>();
      for (Contender contender : contenders) {
        String name = contender.label();
        references.put(name, name);
        takers.put(name, () -> sample(contender, effort, 0, broker));
        references.put(name + HOT, name);
        takers.put(name + HOT, () -> sample(contender, effort, hotRate, broker));
      }
      if (rounds > 1) { // the broker's own warm-up
        sample(contenders.get(0), effort, hotRate, broker);
      }
      Results results =
          new Results(
              "kafka-hot-key",
              effort.label(),
              new Score(P99, "p99 ms", 1_000, 2, false),
              references,
              dependsOn(environment, effort),
              retakes.inTurn("kafka-hot-key", rounds, takers));
      System.out.println();
      System.out.print(report(results));
      System.out.println("Samples: " + ResultFile.write(json, results));
    }
    return 0;
  }

  private Map<String, Object> dependsOn(Environment environment, Effort effort) {
    Map<String, Object> dependsOn = new LinkedHashMap<>(environment.toMap());
    dependsOn.put("kafka", AppInfoParser.getVersion());
    dependsOn.put("work", effort.label());
    dependsOn.put("rate", rate);
    dependsOn.put("hotRate", hotRate);
    dependsOn.put("keys", keyCount);
    dependsOn.put("seconds", seconds);
    dependsOn.put("seed", seed);
    return dependsOn;
  }

  private Map<String, Double> sample(Contender contender, Effort effort, int hot, Broker broker)
      throws Exception {
    int perSecond = rate + hot;
    String name = "hot-key-" + topics.incrementAndGet();
    Topic topic = new Topic(name, 1, perSecond * seconds, keyCount + 1, Keys.EVEN);
    topic.make(broker.address());
    PacedTopic paced = new PacedTopic(topic, perSecond, (double) hot / perSecond, seed);
    CompletableFuture<Void> sent =
        CompletableFuture.runAsync(
            () -> {
              try {
                paced.send(broker.address());
              } catch (Exception e) {
                throw new CompletionException(e);
              }
            });
    Map<String, Double> figures =
        Round.run(setup(contender, effort, topic, broker), broker, jvmArgs);
    sent.get();
    return figures;
  }

  private RoundSetup setup(Contender contender, Effort effort, Topic topic, Broker broker) {
    return new RoundSetup(
        contender,
        broker.address(),
        topic.name(),
        topic.name(),
        topic.partitions(),
        topic.records(),
        topic.records() / 2,
        topic.keys(),
        effort,
        cores,
        Math.max(cores, KafkaCommand.THREADS),
        seconds + SPARE_SECONDS);
  }

  static String report(Results results) {
    return new ResultTable("consumer", results)
            .scaled("p50 ms", "p50Micros", 1_000, 2)
            .score("× without")
            .median("CPUs", "cpus", 2)
            .share("in time", RoundMain.IN_TIME)
            .median("others CPUs", ResultTable.OTHERS, 2)
        + """

        Of the other keys' records: from when one was due until it was handled, through the producer (which
        lets records wait 1 ms for others) and the broker, which share the CPUs. Medians of the rounds;
        ratios round by round with their range. Each round is a fresh JVM with a new topic of one
        partition; measured in the second half of the records. The hot key comes on top of the others: beside
        it, all have more to do. CPUs: of the consumer's JVM; others: of other programs.
        """;
  }
}
