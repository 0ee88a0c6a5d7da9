package dev.mely.bench.server;

import dev.mely.bench.Results;
import dev.mely.bench.Score;
import dev.mely.bench.Versions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Web servers under more and more connections, with and without a bound for their memory. */
@Command(
    name = "stingy",
    description =
        "SWS under more and more connections, as the Stingy Allocator paper sweeps its servers: on Netty's "
            + "own group with its pooled and its adaptive allocator, on Mely's, and on Mely's with a working "
            + "set, where reads wait; beside them sws-core with its responses in the heap and in pools. "
            + "The client is wrk, which must be installed; its connections stay.",
    mixinStandardHelpOptions = true,
    versionProvider = Versions.class,
    sortOptions = false)
public final class StingyCommand extends WrkCommand {
  private static final Score REQUESTS =
      new Score("requestsPerSecond", "K requests/s", 1e3, 1, true);

  private static final int SAMPLES = 3;

  @Option(
      names = "--out",
      paramLabel = "<directory>",
      description = "where to put the pictures (default: mely-bench/target/stingy, or stingy)")
  private @Nullable Path out;

  /** Made by the command line alone. */
  public StingyCommand() {
    super(
        List.of(64, 256, 1_000, 4_000),
        REQUESTS,
        Service.SWS,
        new Site.EqualFiles(100, 1_024),
        new Comparison(SAMPLES, "nio").among("stock", "mely", "mely-bound"),
        new EqualWork().none());
  }

  private static String pooled(Side side) {
    return side.stock().label() + "-" + Allocator.POOLED.label();
  }

  @Override
  List<Web> servers(Side side, int clients, Path files) {
    List<Web> servers = new ArrayList<>();
    if (side.group() == Group.STOCK) {
      for (Allocator allocator : Allocator.values()) {
        servers.add(
            new Web(
                side.label() + "-" + allocator.label(),
                pooled(side),
                clients,
                c ->
                    c.serve(
                        side.service(), side.transport(), Group.STOCK, files, allocator.flags())));
      }
    } else {
      servers.add(
          new Web(
              side.label(),
              pooled(side),
              clients,
              c ->
                  c.serve(
                      side.service(),
                      side.transport(),
                      side.group(),
                      files,
                      Allocator.ADAPTIVE.flags())));
    }
    return servers;
  }

  @Override
  List<Web> peers(String load, int clients, Path files) {
    String reference = pooled(new Side(load, Service.SWS, Transport.NIO, Group.STOCK));
    return List.of(
        new Web(
            load + " core",
            reference,
            clients,
            c -> c.serve(Service.SWS_CORE, Transport.NIO, Group.MELY, files)),
        new Web(
            load + " core-pool",
            reference,
            clients,
            c -> c.serve(Service.SWS_CORE, Transport.NIO, Group.MELY_BOUND, files)));
  }

  @Override
  void addMore(Map<String, Double> sample, Server server) throws IOException {
    server.footprint().addTo(sample);
  }

  @Override
  void finished(Results results) {
    Sweep sweep = new Sweep(results, "connections");
    Path directory = out != null ? out : Sweep.directory("stingy");
    List<Path> written = new ArrayList<>();
    written.addAll(sweep.draw(directory, "stingy-throughput", "requestsPerSecond", "requests/s"));
    written.addAll(sweep.draw(directory, "stingy-p99", "p99Millis", "p99, ms"));
    written.addAll(sweep.draw(directory, "stingy-direct", "directMiB", "peak direct memory, MiB"));
    written.forEach(file -> System.out.println("Written: " + file));
  }

  @Override
  String table(Results results) {
    return Footprint.columns(
                new ComparisonTable("load and server", results)
                    .median("p50 ms", "p50Millis", 2)
                    .median("p99 ms", "p99Millis", 2))
            .median("CPU µs/request", "serverCpuMicros", 2)
            .median("failed", "failed", 0)
            .cpus()
        + """

        Medians of the samples. × stock: ratio to SWS on Netty's own group with its pooled allocator and as
        many connections; sample by sample, with its range. mely: with Netty's adaptive allocator;
        mely-bound: with a working set of 16 MiB a core. core: sws-core; core-pool: its responses in a pool
        of half of the L2 cache. p50, p99: latency in a closed loop, as wrk has it.
        """
        + Footprint.LEGEND
        + ComparisonTable.CPUS_LEGEND;
  }
}
