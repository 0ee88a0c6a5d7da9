package dev.mely.bench.server;

import dev.mely.bench.Checks;
import dev.mely.bench.Results;
import dev.mely.bench.SampleTime;
import dev.mely.bench.Score;
import dev.mely.bench.Versions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Servers of large responses to clients that take their time. */
@Command(
    name = "slow-readers",
    description =
        "Responses of 256 KiB to clients that take 8 KiB of them every 20 ms, more and more clients: on "
            + "Netty's own group with its pooled and its adaptive allocator, on Mely's, and on Mely's with a "
            + "working set of 16 MiB a core, where reads wait. The client is one thread of this process.",
    mixinStandardHelpOptions = true,
    versionProvider = Versions.class,
    sortOptions = false)
public final class SlowReadersCommand implements Callable<Integer> {
  private static final int MAX_READERS = 8_000;
  private static final int SAMPLES = 3;
  private static final double SECONDS = 4;
  private static final double WARM_UP_SECONDS = 3;
  private static final double MEGA = 1e6;
  private static final double GIGA = 1e9;

  /** What the stock group may take, whatever the readers: they have 256 KiB each. */
  private static final String MEMORY = "-XX:MaxDirectMemorySize=4g";

  @Spec private CommandSpec spec = CommandSpec.create();

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

  /**
   * A server with its load.
   *
   * @param readers how many clients there are
   * @param side what serves
   * @param allocator what buffers come from, unless the side has its own
   */
  record Slow(int readers, Side side, Allocator allocator) implements Contender {
    private String name(Side of, Allocator with) {
      String suffix = of.group() == Group.STOCK ? "-" + with.label() : "";
      return of.label() + suffix;
    }

    @Override
    public String label() {
      return name(side, allocator);
    }

    @Override
    public String reference() {
      return name(side.stock(), Allocator.POOLED);
    }

    @Override
    public Server start(Comparison comparison) throws IOException {
      List<String> flags = new ArrayList<>(allocator.flags());
      flags.add(MEMORY);
      return comparison.serve(Service.LARGE, side.transport(), side.group(), null, flags);
    }
  }

  private List<Slow> contenders() {
    List<Slow> all = new ArrayList<>();
    for (int n : readers) {
      for (Side side : comparison.sides(n + " readers", Service.LARGE)) {
        if (side.group() == Group.STOCK) {
          all.add(new Slow(n, side, Allocator.POOLED));
        }
        all.add(new Slow(n, side, Allocator.ADAPTIVE));
      }
    }
    return all;
  }

  @Override
  public Integer call() throws Exception {
    readers.forEach(n -> Checks.inRange(spec, "--readers", n, 1, MAX_READERS));
    readers.forEach(n -> Descriptors.check(spec, "--readers", n, Descriptors.limit()));
    long nanos = time.nanos(comparison.quick());
    time.warmUpNanos(comparison.quick()); // checked before the first server starts
    System.out.print(comparison.environment());
    System.out.printf(
        Locale.ROOT, "%d samples of %.1f s each%n", comparison.samples(), nanos / GIGA);
    Score score = new Score("megabytesPerSecond", "MB/s", 1, 1, true);
    Results results =
        comparison.run(
            "slow-readers", score, contenders(), (slow, server) -> sample(slow, server, nanos));
    System.out.println();
    System.out.print(table(results));
    System.out.println("Samples: " + comparison.write(results));
    Sweep sweep = new Sweep(results, "readers");
    Path directory = out != null ? out : Sweep.directory("slow-readers");
    List<Path> written = new ArrayList<>();
    written.addAll(
        sweep.draw(directory, "slow-readers-direct", "directMiB", "peak direct memory, MiB"));
    written.addAll(sweep.draw(directory, "slow-readers-rate", "megabytesPerSecond", "MB/s"));
    written.forEach(file -> System.out.println("Written: " + file));
    return 0;
  }

  private Map<String, Double> sample(Slow slow, Server server, long nanos)
      throws IOException, InterruptedException {
    Map<String, Double> sample = new LinkedHashMap<>();
    try (SlowReaders client = new SlowReaders(server.port(), slow.readers)) {
      client.run(time.warmUpNanos(comparison.quick()));
      server.footprint(); // of the warm-up
      Meter meter = Meter.start(server);
      SlowReaders.Result result = client.run(nanos);
      Meter.Reading used = meter.stop();
      sample.put("megabytesPerSecond", used.perSecond((double) result.bytes()) / MEGA);
      if (result.times().getTotalCount() > 0) {
        sample.put("p50Seconds", result.times().getValueAtPercentile(50) / GIGA);
        sample.put("p99Seconds", result.times().getValueAtPercentile(99) / GIGA);
      }
      server.footprint().addTo(sample);
      used.addCpus(sample);
    }
    return sample;
  }

  /** The table, and what it means. */
  static String table(Results results) {
    return Footprint.columns(
                new ComparisonTable("load and server", results)
                    .median("p50 s", "p50Seconds", 2)
                    .median("p99 s", "p99Seconds", 2))
            .median("server CPUs", "serverCpus", 2)
            .median("client CPUs", "clientCpus", 2)
            .median("others CPUs", Meter.OTHERS, 2)
        + """

        Medians of the samples. × stock: ratio to Netty's own group with its pooled allocator and as many
        readers; sample by sample, with its range. mely: with Netty's adaptive allocator; mely-bound: with a
        working set of 16 MiB a core. p50, p99: from a request to the last byte of its response, of those
        that ended in the sample.
        """
        + Footprint.LEGEND;
  }
}
