package dev.mely.bench.server;

import dev.mely.bench.BenchCommand;
import dev.mely.bench.ResultFile;
import dev.mely.bench.ResultTable;
import dev.mely.bench.Results;
import dev.mely.bench.SampleTime;
import dev.mely.bench.Score;
import dev.mely.bench.Sweep;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Compares servers of large responses to slow clients. */
@Command(
    name = "slow-readers",
    description =
        "Responses of 256 KiB to a growing number of clients that read 8 KiB every 20 ms: on"
            + " Netty's own group with its pooled and its adaptive allocator, on Mely's, and on"
            + " Mely's with a working set of 16 MiB a core, above which reads wait. The client is"
            + " one thread of this process.")
public final class SlowReadersCommand extends BenchCommand {
  private static final int MAX_READERS = 8_000;
  private static final int SAMPLES = 3;
  private static final double SECONDS = 4;
  private static final double WARM_UP_SECONDS = 3;
  private static final double MEGA = 1e6;
  private static final double GIGA = 1e9;

  /** Enough for the stock group with any number of readers, which take 256 KiB each. */
  private static final String MEMORY = "-XX:MaxDirectMemorySize=4g";

  @Option(
      names = "--readers",
      paramLabel = "<n>",
      split = ",",
      description = "clients, one or several numbers (default: ${DEFAULT-VALUE})")
  private List<Integer> readers = List.of(64, 256, 1_000);

  @Option(
      names = "--out",
      paramLabel = "<directory>",
      description =
          "where to put the pictures (default: mely-bench/target/slow-readers, or slow-readers)")
  private @Nullable Path out;

  @Mixin
  private Comparison comparison =
      new Comparison(SAMPLES, "nio").among("stock", "mely", "mely-bound");

  @Mixin private SampleTime time = new SampleTime(SECONDS, WARM_UP_SECONDS);

  /** The stock group with each of its allocators; others have their own. */
  private List<Contender<Integer>> contenders() {
    List<Contender<Integer>> all = new ArrayList<>();
    for (int n : readers) {
      for (Side side : comparison.sides(n + " readers", Service.LARGE)) {
        for (Allocator allocator : Allocator.of(side)) {
          List<String> flags = new ArrayList<>(allocator.flags());
          flags.add(MEMORY);
          all.add(
              new Contender<>(
                  allocator.label(side),
                  Allocator.POOLED.label(side.stock()),
                  n,
                  () -> comparison.serve(side, null, flags)));
        }
      }
    }
    return all;
  }

  @Override
  public Integer call() throws Exception {
    readers.forEach(n -> inRange("--readers", n, 1, MAX_READERS));
    readers.forEach(n -> Descriptors.check(spec, "--readers", n, Descriptors.limit()));
    long nanos = time.nanos(comparison.quick());
    time.warmUpNanos(comparison.quick()); // checks it before the first server starts
    System.out.print(comparison.environment());
    System.out.printf(
        Locale.ROOT, "%d samples of %.1f s each%n", comparison.samples(), nanos / GIGA);
    Score score = new Score("megabytesPerSecond", "MB/s", 1, 1, true);
    Results results =
        comparison.run(
            "slow-readers",
            score,
            contenders(),
            (slow, server) -> sample(slow.load(), server, nanos));
    comparison.tell(results, table(results));
    Sweep sweep = new Sweep(results);
    Path directory = out != null ? out : ResultFile.directory("slow-readers");
    sweep.draw(directory, "slow-readers-direct", "directMiB", "peak direct memory, MiB");
    sweep.draw(directory, "slow-readers-rate", "megabytesPerSecond", "MB/s");
    return 0;
  }

  private Map<String, Double> sample(int count, Server server, long nanos)
      throws IOException, InterruptedException {
    Map<String, Double> sample = new LinkedHashMap<>();
    try (SlowReaders client = new SlowReaders(server.port(), count)) {
      client.run(time.warmUpNanos(comparison.quick()));
      Meter meter = Meter.start(server);
      SlowReaders.Result result = client.run(nanos);
      Meter.Reading used = meter.stop();
      sample.put("megabytesPerSecond", used.perSecond((double) result.bytes()) / MEGA);
      if (result.times().getTotalCount() > 0) {
        sample.put("p50Seconds", result.times().getValueAtPercentile(50) / GIGA);
        sample.put("p99Seconds", result.times().getValueAtPercentile(99) / GIGA);
      }
      used.addCpus(sample);
    }
    return sample;
  }

  /** The table and its legend. */
  static String table(Results results) {
    return Footprint.columns(
                new ResultTable("load and server", results)
                    .score()
                    .median("p50 s", "p50Seconds", 2)
                    .median("p99 s", "p99Seconds", 2))
            .median("server CPUs", "serverCpus", 2)
            .clients()
        + """

        Medians of the samples. × stock: ratio to Netty's own group with its pooled allocator and equally many
        readers; sample by sample, with its range. mely: with Netty's adaptive allocator; mely-bound: with a
        working set of 16 MiB a core. p50, p99: from a request to the last byte of its response, of responses
        that ended in the sample.
        """
        + Footprint.LEGEND;
  }
}
