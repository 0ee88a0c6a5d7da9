package dev.mely.bench.server;

import dev.mely.bench.ResultTable;
import dev.mely.bench.Score;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Option;

/** Compares SWS on the two groups, and nginx. */
abstract class WebCommand extends WrkCommand {
  private static final Score REQUESTS =
      new Score("requestsPerSecond", "K requests/s", 1e3, 1, true);

  @Option(
      names = "--requests",
      paramLabel = "<n>",
      description =
          "requests a connection, on average; 0: connections stay (default: ${DEFAULT-VALUE})")
  private int requests;

  @Option(
      names = "--nginx",
      paramLabel = "<program>",
      description = "left out with a word if there is none (default: ${DEFAULT-VALUE})")
  private String nginx = "nginx";

  @Option(
      names = "--sws-core",
      description = "with SWS without Netty beside them, stealing and not; its transport is NIO")
  private boolean swsCore;

  private boolean missed;

  /**
   * @param connections how many clients there are by default
   * @param requests of a connection, by default
   * @param site what is served
   */
  WebCommand(int connections, int requests, Site site) {
    super(connections, REQUESTS, Service.SWS, site);
    this.requests = requests;
  }

  @Override
  int requestsPerConnection() {
    return inRange("--requests", requests, 0, Integer.MAX_VALUE);
  }

  @Override
  List<Contender<Integer>> peers(String load, int clients, Path files) {
    List<Contender<Integer>> peers = new ArrayList<>();
    if (swsCore) {
      String reference = new Side(load, Service.SWS, Transport.NIO, Group.STOCK).label();
      for (Group group : List.of(Group.MELY, Group.MELY_OFF)) {
        Side core = new Side(load, Service.SWS_CORE, Transport.NIO, group);
        peers.add(
            new Contender<>(
                load + " core-" + group.label(),
                reference,
                clients,
                () -> comparison.serve(core, files, List.of())));
      }
    }
    if (Nginx.isInstalled(nginx)) {
      peers.add(
          new Contender<>(
              load + " nginx",
              new Side(load, Service.SWS, Transport.EPOLL, Group.STOCK).label(),
              clients,
              () -> Nginx.start(nginx, comparison.cores(), files)));
    } else if (!missed) {
      missed = true;
      System.err.println("left out: nginx: there is no program '" + nginx + "'");
    }
    return peers;
  }

  /** What each row's reference is, and what the columns mean that both tables have. */
  static final String LEGEND =
      """

      Medians of the samples. × stock: ratio to SWS on Netty's own group with as many connections, on the
      same transport, of nginx on epoll; sample by sample, with its range. p50 to p99.9: latency in a closed
      loop, as wrk has it. CPU, switches: of the server's processes. steal µs: what a steal costs the thief;
      stolen µs: how long it then is in the stolen color. failed: requests without an answer, or with an
      error. client CPUs: what wrk used of the CPUs that it shares with the server; others CPUs: what all
      other processes did.
      """
          + ResultTable.CPUS_LEGEND;

  /** Adds what both tables have behind their first figures. */
  static ResultTable addCosts(ResultTable table) {
    return table
        .median("p50 ms", "p50Millis", 2)
        .median("p90 ms", "p90Millis", 2)
        .median("p99 ms", "p99Millis", 2)
        .median("p99.9 ms", "p99.9Millis", 2)
        .median("CPU µs/request", "serverCpuMicros", 2)
        .median("switches/request", "switches", 3)
        .median("steals/1000", "stealsPerThousand", 2)
        .median("steal µs", "stealMicros", 2)
        .median("stolen µs", "stolenMicros", 2)
        .median("failed", "failed", 0)
        .cpus();
  }
}
