package dev.mely.bench.server;

import dev.mely.bench.BenchCommand;
import dev.mely.bench.ResultTable;
import dev.mely.bench.Results;
import dev.mely.bench.SampleTime;
import dev.mely.bench.Score;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Supplier;
import org.HdrHistogram.Histogram;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Compares servers of short messages: many connections, each with one outstanding message. */
abstract class MessageCommand extends BenchCommand {
  private static final int MAX_CONNECTIONS = 10_000;
  private static final int SAMPLES = 5;

  @Option(
      names = "--connections",
      paramLabel = "<n>",
      description = "connections (default: ${DEFAULT-VALUE})")
  private int connections;

  @Mixin final Comparison comparison;

  @Mixin private final SampleTime time;

  @Mixin private EqualWork equalWork = new EqualWork();

  /**
   * @param connections default number of connections
   * @param time default duration of a sample
   * @param transports the default transports
   */
  MessageCommand(int connections, SampleTime time, String... transports) {
    this.connections = connections;
    this.time = time;
    this.comparison = new Comparison(SAMPLES, transports);
  }

  /**
   * What the clients do.
   *
   * @param name prefix of the configurations' names
   * @param service of the server
   * @param reads percentage of reads, for a counter
   */
  record Load(String name, Service service, int reads) {
    Supplier<Dialogue> clients() {
      return service == Service.ECHO ? EchoDialogue::new : new CounterClients(reads)::connect;
    }
  }

  /** Describes the duration of a sample. */
  String length(long nanos) {
    return String.format(Locale.ROOT, "%.1f s", nanos / 1e9);
  }

  /** Exchanges the messages of a sample; returns their times. */
  Histogram exchange(LoadClient client, long nanos) throws IOException, InterruptedException {
    return client.closed(nanos);
  }

  /** The checked loads, one after the other. */
  abstract List<Load> loads();

  /** The table and its legend. */
  abstract String table(Results results);

  @Override
  public final Integer call() throws Exception {
    inRange("--connections", connections, 1, MAX_CONNECTIONS);
    long nanos = time.nanos(comparison.quick());
    time.warmUpNanos(comparison.quick()); // checks it before the first server starts
    equalWork.shares();
    List<Contender<Load>> contenders = new ArrayList<>();
    for (Load load : loads()) {
      contenders.addAll(comparison.contenders(load.name(), load.service(), load));
    }
    System.out.print(comparison.environment());
    System.out.printf(
        Locale.ROOT,
        "%d connections, %s, %d samples%n",
        connections,
        length(nanos),
        comparison.samples());
    Score score = new Score("messagesPerSecond", "K messages/s", 1e3, 1, true);
    Results results =
        comparison.run(
            spec.name(), score, contenders, (side, server) -> sample(side, server, nanos));
    comparison.tell(results, table(results) + equalWork.table(results));
    return 0;
  }

  private Map<String, Double> sample(Contender<Load> side, Server server, long nanos)
      throws Exception {
    Map<String, Double> sample = new LinkedHashMap<>();
    // One set of clients per counter: they check its values against earlier ones.
    Supplier<Dialogue> clients = side.load().clients();
    try (LoadClient client = new LoadClient(server.port(), connections, clients)) {
      WarmUp.run(server, client::count, time.warmUpNanos(comparison.quick()), sample);
      Meter meter = Meter.start(server);
      Histogram times = exchange(client, nanos);
      Meter.Reading used = meter.stop();
      double messages = times.getTotalCount();
      sample.put("messagesPerSecond", used.perSecond(messages));
      sample.put("p50Micros", times.getValueAtPercentile(50) / 1e3);
      sample.put("p99Micros", times.getValueAtPercentile(99) / 1e3);
      used.addCosts(sample, messages);
      used.addCpus(sample);
    }
    equalWork.measure(sample, side, server, connections, clients, nanos);
    return sample;
  }

  /** The common columns of all tables. */
  static ResultTable columns(String contender, Results results) {
    return new ResultTable(contender, results)
        .score()
        .median("p50 µs", "p50Micros", 0)
        .median("p99 µs", "p99Micros", 0)
        .median("CPU µs/message", "serverCpuMicros", 2)
        .median("switches/message", "switches", 3)
        .median("steals/1000", "stealsPerThousand", 2)
        .cpus();
  }
}
