package dev.mely.bench.server;

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
          "mean number of requests per connection; 0: persistent connections (default:"
              + " ${DEFAULT-VALUE})")
  private int requests;

  @Option(
      names = "--nginx",
      paramLabel = "<program>",
      description = "left out with a message if not installed (default: ${DEFAULT-VALUE})")
  private String nginx = "nginx";

  @Option(
      names = "--sws-core",
      description =
          "also measure SWS without Netty, with and without stealing; its transport is NIO")
  private boolean swsCore;

  private boolean missed;

  /**
   * @param connections default number of clients
   * @param requests default number of requests per connection
   * @param site what to serve
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
    if (Wrk.isInstalled(nginx)) {
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
}
