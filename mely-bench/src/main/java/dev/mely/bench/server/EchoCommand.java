package dev.mely.bench.server;

import dev.mely.bench.BenchCommand;
import dev.mely.bench.ResultTable;
import dev.mely.bench.Results;
import dev.mely.bench.SampleTime;
import dev.mely.bench.Score;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.HdrHistogram.Histogram;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Compares echo servers. */
@Command(
    name = "echo",
    description =
        "Netty echo servers on loopback, on Netty's own group and on Mely's: many connections, each"
            + " with one message of 16 bytes under way. The client is one thread of this process;"
            + " it shares the machine's CPUs with the server.")
public final class EchoCommand extends BenchCommand {
  /** By which {@link #addMessages} are compared. */
  static final Score SCORE = new Score("messagesPerSecond", "K messages/s", 1e3, 1, true);

  private static final int MAX_CONNECTIONS = 10_000;
  private static final int SAMPLES = 5;

  @Option(
      names = "--connections",
      paramLabel = "<n>",
      description = "connections (default: ${DEFAULT-VALUE})")
  private int connections = 64;

  @Mixin private Comparison comparison = new Comparison(SAMPLES, "nio", "epoll");

  @Mixin private SampleTime time = new SampleTime();

  @Mixin private EqualWork equalWork = new EqualWork();

  @Override
  public Integer call() throws Exception {
    inRange("--connections", connections, 1, MAX_CONNECTIONS);
    long nanos = time.nanos(comparison.quick());
    time.warmUpNanos(comparison.quick()); // checked before the first server starts
    equalWork.shares();
    System.out.print(comparison.environment());
    System.out.printf(
        Locale.ROOT,
        "%d connections, %d samples of %.1f s each%n",
        connections,
        comparison.samples(),
        nanos / 1e9);
    Results results =
        comparison.run(
            "echo",
            SCORE,
            comparison.contenders("", Service.ECHO, connections),
            (side, server) -> sample(side, server, nanos));
    comparison.tell(results, report(results) + equalWork.table(results));
    return 0;
  }

  private Map<String, Double> sample(Contender<?> side, Server server, long nanos)
      throws IOException, InterruptedException {
    Map<String, Double> sample = new LinkedHashMap<>();
    try (LoadClient client = new LoadClient(server.port(), connections, EchoDialogue::new)) {
      WarmUp.run(server, client::count, time.warmUpNanos(comparison.quick()), sample);
      Meter meter = Meter.start(server);
      Histogram times = client.closed(nanos);
      addMessages(sample, meter.stop(), times);
    }
    equalWork.measure(sample, side, server, connections, EchoDialogue::new, nanos);
    return sample;
  }

  /** Adds the figures of messages that came back. */
  static void addMessages(Map<String, Double> sample, Meter.Reading used, Histogram times) {
    double messages = times.getTotalCount();
    sample.put(SCORE.figure(), used.perSecond(messages));
    sample.put("p50Micros", times.getValueAtPercentile(50) / 1e3);
    sample.put("p99Micros", times.getValueAtPercentile(99) / 1e3);
    used.addCosts(sample, messages);
    used.addCpus(sample);
  }

  /** A table of {@link #addMessages}. */
  static ResultTable table(String contender, Results results) {
    return new ResultTable(contender, results)
        .score()
        .median("p50 µs", "p50Micros", 0)
        .median("p99 µs", "p99Micros", 0)
        .median("CPU µs/message", "serverCpuMicros", 2)
        .median("switches/message", "switches", 3)
        .median("steals/1000", "stealsPerThousand", 2)
        .cpus();
  }

  /** The table: each row's reference is the stock group on the same transport. */
  static String report(Results results) {
    return table("server", results)
        + """

        Medians of the samples. × stock: ratio to Netty's own group on the same transport, sample by
        sample, with its range. p50, p99: there and back, in a closed loop. CPU, switches: of the server's
        process. client CPUs: what the client's process used meanwhile;
        others CPUs: what all other processes did.
        """
        + ResultTable.CPUS_LEGEND;
  }
}
