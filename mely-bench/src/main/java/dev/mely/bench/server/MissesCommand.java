package dev.mely.bench.server;

import com.google.common.collect.ImmutableMap;
import dev.mely.bench.BenchCommand;
import dev.mely.bench.ResultTable;
import dev.mely.bench.Results;
import dev.mely.bench.Retakes;
import dev.mely.bench.Score;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Simulates the L2 cache misses of a server's buffers. */
@Command(
    name = "misses",
    description =
        "Models the L2 cache misses of a server's buffers: SWS with many connections, and large"
            + " responses to slow readers, on one event loop of this process. All reads into"
            + " buffers and writes from them go through a model of the cache. Modeled, not"
            + " measured.")
public final class MissesCommand extends BenchCommand {
  private static final int MAX_CLIENTS = 4_000;

  /** The fractions of the cache left for buffers, by divisor: 2 is a half. */
  static final ImmutableMap<Integer, String> SHARES =
      ImmutableMap.of(1, "misses/request, all of L2", 2, "half of L2", 4, "a quarter");

  @Option(
      names = "--connections",
      paramLabel = "<n>",
      split = ",",
      description = "connections of SWS, one or several numbers (default: ${DEFAULT-VALUE})")
  private List<Integer> connections = List.of(64, 1_000);

  @Option(
      names = "--readers",
      paramLabel = "<n>",
      split = ",",
      description = "slow readers, one or several numbers (default: ${DEFAULT-VALUE})")
  private List<Integer> readers = List.of(16, 128);

  @Option(
      names = "--requests",
      paramLabel = "<n>",
      description = "counted requests of each SWS client, after as many for warm-up (default: 20)")
  private int requests = 20;

  @Option(
      names = "--time",
      paramLabel = "<s>",
      description = "counted seconds of slow reading, after as many for warm-up (default: 3)")
  private double seconds = 3;

  @Override
  public Integer call() throws Exception {
    connections.forEach(n -> inRange("--connections", n, 1, MAX_CLIENTS));
    readers.forEach(n -> inRange("--readers", n, 1, MAX_CLIENTS));
    inRange("--requests", requests, 1, 1_000_000);
    long nanos = nanos("--time", seconds);
    if (!TracedChannel.canTrace()) {
      throw misuse("Netty does not know buffers' addresses here: it may not use Unsafe");
    }
    CacheShape shape = CacheShape.system();
    System.out.printf(
        Locale.ROOT,
        "modeled: L2 of %,d KiB, %d ways, lines of %d bytes, least recently used (%s)%n",
        shape.bytes() >> 10,
        shape.ways(),
        SetCache.LINE,
        shape.source());
    System.out.println();
    System.out.print(table(measure(shape, nanos)));
    System.out.print(LEGEND);
    return 0;
  }

  /** Loads a server. */
  private interface Loader {
    Map<String, Double> load(TracedServer server) throws Exception;
  }

  private Results measure(CacheShape shape, long nanos) throws Exception {
    Map<String, Loader> loads = new LinkedHashMap<>();
    connections.forEach(n -> loads.put(n + " connections", server -> server.sws(n, requests)));
    readers.forEach(n -> loads.put(n + " readers", server -> server.slow(n, nanos)));
    Map<String, String> references = new LinkedHashMap<>();
    Map<String, Callable<Map<String, Double>>> takers = new LinkedHashMap<>();
    loads.forEach(
        (load, loader) -> {
          for (Setting setting : Setting.values()) {
            String name = load + " " + setting.label();
            references.put(name, load + " " + Setting.STOCK_POOLED.label());
            takers.put(
                name,
                () -> {
                  try (TracedServer server = new TracedServer(setting, shape)) {
                    return loader.load(server);
                  }
                });
          }
        });
    Score score = new Score("misses1", "misses/request", 1, 1, false);
    return new Results(
        "misses", "", score, references, Map.of(), new Retakes().inTurn("misses", 1, takers));
  }

  /** The table: each line is compared with the first setting of its load. */
  static String table(Results results) {
    ResultTable table =
        new ResultTable("load and server", results).median("bytes touched/request", "bytes", 0);
    SHARES.forEach(
        (parts, title) ->
            table
                .median(title, "misses" + parts, 1)
                .column("change", name -> change(results, name, "misses" + parts)));
    return table.toString();
  }

  /** Change in percent; only if the reference misses at least one cache line in ten requests. */
  private static String change(Results results, String name, String figure) {
    String reference = results.references().getOrDefault(name, name);
    return results.median(reference, figure) < 0.1
        ? "–"
        : String.format(Locale.ROOT, "%+.0f %%", 100 * (results.ratio(name, figure).median() - 1));
  }

  private static final String LEGEND =
      """

      Modeled, not measured: cache misses, in lines of 64 bytes, of one event loop's buffers only, by virtual
      addresses: all input and output is written once and read once. Code, the heap, the kernel's own memory
      and other users of the cache are not modeled: half and a quarter of the ways show the misses if these
      occupy the rest. change: against the first server of the load. stingy-bound: a working set of half of
      L2. The paper counted all data misses of two C servers with a cache of 1 MB: TUX -75 %, thttpd -53 %.
      It placed objects so that they cannot evict each other; Java cannot choose the position of memory in
      the cache, and its garbage collector accesses memory, too.
      """;
}
