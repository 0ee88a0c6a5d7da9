package dev.mely.bench.server;

import dev.mely.bench.BenchCommand;
import dev.mely.bench.Labels;
import dev.mely.bench.Results;
import dev.mely.bench.Table;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Supplier;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The two programs by which the Eve paper compares servers. */
@Command(
    name = "eve",
    description =
        "The Eve paper's echo and atomic counter, on Netty's own group and on Mely's: 150"
            + " connections, 10,000 messages on each, one under way at a time; messages of 16 bytes"
            + " to the echo, of one byte to the counter, which reads or increments. The client is"
            + " one thread of this process, and checks every answer.")
public final class EveCommand extends BenchCommand {
  private static final int MAX_CONNECTIONS = 10_000;
  private static final int MAX_MESSAGES = 1_000_000;
  private static final int MAX_WORK_MICROS = 1_000;
  private static final int MESSAGES = 10_000;
  private static final int QUICK_MESSAGES = 1_000;
  private static final int SAMPLES = 5;
  private static final double WARM_UP_SECONDS = 30;
  private static final double QUICK_WARM_UP_SECONDS = 1;

  /** Of each rate of equal work, no longer than the warm-up. */
  private static final long OPEN_NANOS = 2_500_000_000L;

  @Option(
      names = "--programs",
      paramLabel = "<name>",
      split = ",",
      description =
          "echo; counter-atomic, an atomic variable that all handlers use; counter-owned, a plain"
              + " one that one color has to itself, or one loop of Netty's group; counter-shared, a"
              + " plain one that is read with permission to read its color, or under a StampedLock"
              + " (default: all)")
  private List<String> programs =
      List.of("echo", "counter-atomic", "counter-owned", "counter-shared");

  @Option(
      names = "--reads",
      paramLabel = "<percent>",
      split = ",",
      description = "shares of the counter's operations that read (default: ${DEFAULT-VALUE})")
  private List<Integer> reads = List.of(0, 50, 90, 100);

  @Option(
      names = "--work",
      paramLabel = "<us>",
      description =
          "microseconds that each operation of a counter computes (default: ${DEFAULT-VALUE})")
  private int work;

  @Option(
      names = "--connections",
      paramLabel = "<n>",
      description = "connections (default: ${DEFAULT-VALUE})")
  private int connections = 150;

  @Option(
      names = "--messages",
      paramLabel = "<n>",
      description = "messages on each connection (default: 10,000; of a quick run 1,000)")
  private @Nullable Integer messages;

  @Option(
      names = "--warm-up",
      paramLabel = "<s>",
      description =
          "seconds of the same load before, at most: it ends when compilers have ended and the CPU"
              + " time per answer stays (default: 30; of a quick run 1)")
  private @Nullable Double warmUp;

  @Mixin private Comparison comparison = new Comparison(SAMPLES, "nio").among("stock", "mely");

  @Mixin private EqualWork equalWork = new EqualWork();

  /**
   * What the clients do.
   *
   * @param service with which server
   * @param reads share of operations that read, in percent; of a counter
   */
  private record Load(Service service, int reads) {
    String label() {
      return service == Service.ECHO ? service.label() : service.label() + " reads-" + reads;
    }

    Supplier<Dialogue> clients() {
      return service == Service.ECHO ? EchoDialogue::new : new CounterClients(reads)::connect;
    }
  }

  @Override
  public Integer call() throws Exception {
    inRange("--connections", connections, 1, MAX_CONNECTIONS);
    inRange("--work", work, 0, MAX_WORK_MICROS);
    comparison.flag("-D" + CounterHandler.WORK_PROPERTY + "=" + work * 1_000L);
    int count = count();
    double usual = comparison.quick() ? QUICK_WARM_UP_SECONDS : WARM_UP_SECONDS;
    long before = nanos("--warm-up", warmUp != null ? warmUp : usual);
    equalWork.shares();
    List<Contender<Load>> sides = new ArrayList<>();
    for (Load load : loads()) {
      sides.addAll(comparison.contenders(load.label(), load.service(), load));
    }
    System.out.print(comparison.environment());
    System.out.printf(
        Locale.ROOT,
        "%d connections, %,d messages on each, %d samples%n",
        connections,
        count,
        comparison.samples());
    Results results =
        comparison.run(
            "eve", EchoCommand.SCORE, sides, (side, server) -> sample(side, server, before, count));
    comparison.tell(results, report(results) + equalWork.table(results));
    return 0;
  }

  private int count() {
    int n = messages != null ? messages : comparison.quick() ? QUICK_MESSAGES : MESSAGES;
    return inRange("--messages", n, 1, MAX_MESSAGES);
  }

  private List<Load> loads() {
    List<Load> loads = new ArrayList<>();
    for (Service service : Labels.parseAll(spec, programs, EveCommand::program)) {
      if (service == Service.ECHO) {
        loads.add(new Load(service, 0));
      } else {
        for (int percent : reads) {
          loads.add(new Load(service, inRange("--reads", percent, 0, 100)));
        }
      }
    }
    return loads;
  }

  private static Service program(String name) {
    List<Service> programs =
        List.of(
            Service.ECHO, Service.COUNTER_ATOMIC, Service.COUNTER_OWNED, Service.COUNTER_SHARED);
    return Labels.parse("program", name, programs, Service::label);
  }

  private Map<String, Double> sample(Contender<Load> side, Server server, long before, int count)
      throws IOException, InterruptedException {
    Map<String, Double> sample = new LinkedHashMap<>();
    // One counter, one set of clients: what they have seen of it is what it is checked by.
    Supplier<Dialogue> clients = side.load().clients();
    try (LoadClient client = new LoadClient(server.port(), connections, clients)) {
      WarmUp.run(server, client::count, before, sample);
      Meter meter = Meter.start(server);
      Histogram times = client.exchange(count);
      EchoCommand.addMessages(sample, meter.stop(), times);
    }
    equalWork.measure(sample, side, server, connections, clients, Math.min(before, OPEN_NANOS));
    return sample;
  }

  /** The table: each row's reference is the same program on the stock group. */
  static String report(Results results) {
    return EchoCommand.table("program and server", results)
            .column("× echo", name -> Table.number(overEcho(results, name), 2))
        + """

        Medians of the samples. × stock: ratio to the same program on Netty's own group, sample by sample,
        with its range. × echo: ratio to the echo of the same server; of the medians.
        counter-atomic: an AtomicLong, used by the handlers of all connections, on either group.
        counter-owned: a plain variable; every operation goes to its color and the answer back to the
        connection's, on Netty's own group to one of the loops and back: reads run one at a time, too.
        counter-shared: the same with reads that run together, on Mely by permission to read the color, on
        Netty's own group under a StampedLock.
        reads: percent of the operations. p50, p99: there and back, in a closed loop. CPU, switches: of the
        server's process. client CPUs: what the client used of the CPUs that it shares with the server;
        others CPUs: what all other processes did.
        """;
  }

  /** How a contender's rate relates to that of the echo on the same loops. */
  private static double overEcho(Results results, String contender) {
    String figure = results.score().figure();
    String echo = Service.ECHO.label() + contender.substring(contender.lastIndexOf(' '));
    return results.contenders().contains(echo)
        ? results.median(contender, figure) / results.median(echo, figure)
        : Double.NaN;
  }
}
