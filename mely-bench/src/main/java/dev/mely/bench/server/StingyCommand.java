package dev.mely.bench.server;

import dev.mely.bench.ResultFile;
import dev.mely.bench.ResultTable;
import dev.mely.bench.Results;
import dev.mely.bench.Score;
import dev.mely.bench.Sweep;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Compares web servers with a growing number of connections, with and without a memory bound. */
@Command(
    name = "stingy",
    description =
        "SWS with a growing number of connections, as in the Stingy Allocator paper: on Netty's"
            + " own group with its pooled and its adaptive allocator, on Mely's, and on Mely's"
            + " with a working set, above which reads wait; and sws-core with its responses on"
            + " the heap and in pools. The client is wrk, which must be installed, with"
            + " persistent connections.")
public final class StingyCommand extends WrkCommand {
  private static final Score REQUESTS =
      new Score("requestsPerSecond", "K requests/s", 1e3, 1, true);

  private static final int SAMPLES = 3;

  @Option(
      names = "--out",
      paramLabel = "<directory>",
      description = "where to put the pictures (default: mely-bench/target/stingy, or stingy)")
  private @Nullable Path out;

  /** For picocli. */
  public StingyCommand() {
    super(
        List.of(64, 256, 1_000, 4_000),
        REQUESTS,
        Service.SWS,
        new Site.EqualFiles(100, 1_024),
        new Comparison(SAMPLES, "nio").among("stock", "mely", "mely-bound"),
        new EqualWork().none());
  }

  @Override
  List<Contender<Integer>> servers(Side side, int clients, Path files) {
    List<Contender<Integer>> servers = new ArrayList<>();
    for (Allocator allocator : Allocator.of(side)) {
      servers.add(
          new Contender<>(
              allocator.label(side),
              Allocator.POOLED.label(side.stock()),
              clients,
              () -> comparison.serve(side, files, allocator.flags())));
    }
    return servers;
  }

  @Override
  List<Contender<Integer>> peers(String load, int clients, Path files) {
    return List.of(
        core(load, "core", Group.MELY, clients, files),
        core(load, "core-pool", Group.MELY_BOUND, clients, files));
  }

  private Contender<Integer> core(String load, String name, Group group, int clients, Path files) {
    Side side = new Side(load, Service.SWS_CORE, Transport.NIO, group);
    String reference = Allocator.POOLED.label(side.stock());
    return new Contender<>(
        load + " " + name, reference, clients, () -> comparison.serve(side, files, List.of()));
  }

  @Override
  void finished(Results results) {
    Sweep sweep = new Sweep(results);
    Path directory = out != null ? out : ResultFile.directory("stingy");
    sweep.draw(directory, "stingy-throughput", "requestsPerSecond", "requests/s");
    sweep.draw(directory, "stingy-p99", "p99Millis", "p99, ms");
    sweep.draw(directory, "stingy-direct", "directMiB", "peak direct memory, MiB");
  }

  @Override
  String table(Results results) {
    return Footprint.columns(
                new ResultTable("load and server", results)
                    .score()
                    .median("p50 ms", "p50Millis", 2)
                    .median("p99 ms", "p99Millis", 2))
            .median("CPU µs/request", "serverCpuMicros", 2)
            .median("failed", "failed", 0)
            .cpus()
        + """

        Medians of the samples. × stock: ratio to SWS on Netty's own group with its pooled allocator and
        equally many connections; sample by sample, with its range. mely: with Netty's adaptive allocator;
        mely-bound: with a working set of 16 MiB a core. core: sws-core; core-pool: its responses in a pool of
        half of the L2 cache. p50, p99: latency in a closed loop, as reported by wrk.
        """
        + Footprint.LEGEND
        + ResultTable.CPUS_LEGEND;
  }
}
