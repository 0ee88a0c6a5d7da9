package dev.mely.bench.server;

import dev.mely.bench.Labels;
import dev.mely.bench.ResultTable;
import dev.mely.bench.Results;
import dev.mely.bench.SampleTime;
import dev.mely.bench.Table;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The two programs with which the Eve paper compares servers. */
@Command(
    name = "eve",
    description =
        "The Eve paper's echo and atomic counter, on Netty's own group and on Mely's: 150"
            + " connections, 10,000 messages on each, one outstanding at a time; messages of 16"
            + " bytes to the echo, of one byte to the counter, which reads or increments. The"
            + " client is one thread of this process, and checks every answer.")
public final class EveCommand extends MessageCommand {
  private static final int MAX_WORK_MICROS = 1_000;
  private static final int MAX_MESSAGES = 1_000_000;
  private static final int MESSAGES = 10_000;
  private static final int QUICK_MESSAGES = 1_000;

  @Option(
      names = "--programs",
      paramLabel = "<name>",
      split = ",",
      description =
          "echo; counter-atomic, an atomic variable that all handlers use; counter-owned, a plain"
              + " one owned by one color, or by one loop of Netty's group; counter-shared, a"
              + " plain one with parallel reads, by permission to read its color, or under a"
              + " StampedLock (default: all)")
  private List<String> programs =
      List.of("echo", "counter-atomic", "counter-owned", "counter-shared");

  @Option(
      names = "--reads",
      paramLabel = "<percent>",
      split = ",",
      description = "percentages of reads of the counter (default: ${DEFAULT-VALUE})")
  private List<Integer> reads = List.of(0, 50, 90, 100);

  @Option(
      names = "--work",
      paramLabel = "<us>",
      description =
          "microseconds that each operation of a counter computes (default: ${DEFAULT-VALUE})")
  private int work;

  @Option(
      names = "--messages",
      paramLabel = "<n>",
      description =
          "messages on each connection; --time is only for equal work (default: 10,000; of a"
              + " quick run 1,000)")
  private @Nullable Integer messages;

  /** For picocli. */
  public EveCommand() {
    super(150, new SampleTime(2.5, 30), "nio");
    comparison.among("stock", "mely");
  }

  private int messages() {
    int n = messages != null ? messages : comparison.quick() ? QUICK_MESSAGES : MESSAGES;
    return inRange("--messages", n, 1, MAX_MESSAGES);
  }

  @Override
  String length(long nanos) {
    return String.format(Locale.ROOT, "%,d messages on each", messages());
  }

  @Override
  Histogram exchange(LoadClient client, long nanos) throws IOException, InterruptedException {
    return client.exchange(messages());
  }

  @Override
  List<Load> loads() {
    messages(); // checks it before the first server starts
    inRange("--work", work, 0, MAX_WORK_MICROS);
    comparison.flag("-D" + CounterHandler.WORK_PROPERTY + "=" + work * 1_000L);
    List<Load> loads = new ArrayList<>();
    for (Service service : Labels.parseAll(spec, programs, EveCommand::program)) {
      String name = service.label();
      if (service == Service.ECHO) {
        loads.add(new Load(name, service, 0));
      } else {
        for (int percent : reads) {
          inRange("--reads", percent, 0, 100);
          loads.add(new Load(name + " reads-" + percent, service, percent));
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

  /** The table: each row's reference is the same program on the stock group. */
  @Override
  String table(Results results) {
    return columns("program and server", results)
            .column("× echo", name -> Table.number(overEcho(results, name), 2))
        + """

        Medians of the samples. × stock: ratio to the same program on Netty's own group, sample by sample,
        with its range. × echo: ratio to the echo of the same server; of the medians.
        counter-atomic: an AtomicLong, used by the handlers of all connections, on either group.
        counter-owned: a plain variable; every operation goes to its color, or with Netty's own group to one of
        the loops, and the answer goes back to the connection's: reads run one at a time, too.
        counter-shared: the same with parallel reads, on Mely with permission to read the color, on Netty's
        own group under a StampedLock.
        reads: percent of the operations. p50, p99: round trip, in a closed loop. CPU, switches: CPU time and
        context switches of the server's process.
        """
        + ResultTable.CPUS_LEGEND;
  }

  /** The ratio of a configuration's rate to that of the echo on the same loops. */
  private static double overEcho(Results results, String contender) {
    String figure = results.score().figure();
    String echo = Service.ECHO.label() + contender.substring(contender.lastIndexOf(' '));
    return results.contenders().contains(echo)
        ? results.median(contender, figure) / results.median(echo, figure)
        : Double.NaN;
  }
}
