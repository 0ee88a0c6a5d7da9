package dev.mely.bench.server;

import dev.mely.bench.BenchCommand;
import dev.mely.bench.Progress;
import dev.mely.bench.Table;
import dev.mely.bench.sim.SetCache;
import io.netty.buffer.PooledByteBufAllocator;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** What the second-level cache misses of a server's buffers, by a model. */
@Command(
    name = "misses",
    description =
        "What the second-level cache would miss of a server's buffers: SWS under many connections,"
            + " and large responses to slow readers, on one event loop of this process, whose every"
            + " access to a buffer is fed to a model of the cache. Modeled, not measured.")
public final class MissesCommand extends BenchCommand {
  private static final int MAX_CLIENTS = 4_000;
  private static final int[] PARTS = {1, 2, 4};

  @Option(
      names = "--connections",
      paramLabel = "<n>",
      split = ",",
      description = "of SWS, one or several numbers (default: ${DEFAULT-VALUE})")
  private List<Integer> connections = List.of(64, 1_000);

  @Option(
      names = "--readers",
      paramLabel = "<n>",
      split = ",",
      description = "slow ones, one or several numbers (default: ${DEFAULT-VALUE})")
  private List<Integer> readers = List.of(16, 128);

  @Option(
      names = "--requests",
      paramLabel = "<n>",
      description = "of each client of SWS that are counted, after as many (default: 20)")
  private int requests = 20;

  @Option(
      names = "--time",
      paramLabel = "<s>",
      description = "seconds of slow reading that are counted, after as many (default: 3)")
  private double seconds = 3;

  @Override
  public Integer call() throws Exception {
    connections.forEach(n -> inRange("--connections", n, 1, MAX_CLIENTS));
    readers.forEach(n -> inRange("--readers", n, 1, MAX_CLIENTS));
    inRange("--requests", requests, 1, 1_000_000);
    long nanos = nanos("--time", seconds);
    if (!TracingAllocator.canTrace(PooledByteBufAllocator.DEFAULT)) {
      throw misuse("Netty knows no addresses here: it may not use Unsafe");
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

  private List<Modeled> measure(CacheShape shape, long nanos) throws Exception {
    List<Modeled> all = new ArrayList<>();
    int loads = connections.size() + readers.size();
    try (Progress progress = new Progress("misses", loads * Setting.values().length)) {
      for (int i = 0; i < loads; i++) {
        boolean slow = i >= connections.size();
        int n = slow ? readers.get(i - connections.size()) : connections.get(i);
        for (Setting setting : Setting.values()) {
          String load = n + (slow ? " readers" : " connections");
          progress.begin(load + " " + setting.label());
          try (TracedServer server = new TracedServer(setting, shape, PARTS)) {
            all.add(slow ? server.slow(load, n, nanos) : server.sws(load, n, requests));
          }
          progress.end();
        }
      }
    }
    return all;
  }

  /**
   * What was found of one server under one load.
   *
   * @param load what it was
   * @param setting what served
   * @param bytes touched of buffers, per request
   * @param misses of each cache, per request
   */
  record Modeled(String load, Setting setting, double bytes, List<Double> misses) {}

  /** The table: each line beside the first setting of its load. */
  static String table(List<Modeled> all) {
    Table table =
        new Table(
            "load and server",
            "bytes touched/request",
            "misses/request, all of L2",
            "change",
            "half of L2",
            "change",
            "a quarter",
            "change");
    for (Modeled each : all) {
      Modeled first =
          all.stream().filter(m -> m.load().equals(each.load())).findFirst().orElse(each);
      List<String> row = new ArrayList<>();
      row.add(each.load() + " " + each.setting().label());
      row.add(Table.number(each.bytes(), 0));
      for (int i = 0; i < PARTS.length; i++) {
        double misses = each.misses().get(i);
        row.add(Table.number(misses, 1));
        row.add(change(misses, first.misses().get(i)));
      }
      table.add(row.toArray(new String[0]));
    }
    return table.toString();
  }

  /** In percent of what it is compared with, which has to be a line in ten requests at least. */
  private static String change(double misses, double of) {
    return of < 0.1 ? "–" : String.format(Locale.ROOT, "%+.0f %%", 100 * (misses / of - 1));
  }

  private static final String LEGEND =
      """

      Modeled, not measured: lines of 64 bytes that were not in the cache when one event loop read or wrote
      them, of buffers alone, by their virtual addresses. Code, the heap, the kernel's own memory and what
      shares the cache are left out: half and a quarter of the ways show what happens if these have the
      rest. change: to the first server of the load. stingy-bound: a working set of half of L2.
      Beside it the paper, which counted all of the data that two servers in C missed of 1 MB: TUX -75 %,
      thttpd -53 %. It put its objects where they cannot evict each other; Java has no say in where memory
      lies in the cache, and the collector walks through it as well.
      """;
}
