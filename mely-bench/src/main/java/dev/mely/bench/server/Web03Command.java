package dev.mely.bench.server;

import dev.mely.bench.ResultTable;
import dev.mely.bench.Results;
import picocli.CommandLine.Command;

/** Compares web servers that serve files of many sizes. */
@Command(
    name = "web03",
    description =
        "The web server load of the libasync-smp paper (2003), with SWS of mely-examples on"
            + " Netty's own group and on Mely's, and nginx if it is installed: 720 files of 0.1"
            + " to 900 KB, requested as in SPECweb99, 10 requests per connection. The client is"
            + " wrk, which must be installed, with one thread; it shares the machine's CPUs with"
            + " the server.")
public final class Web03Command extends WebCommand {
  /** For picocli. */
  public Web03Command() {
    super(800, 10, new Web03Site());
  }

  @Override
  String table(Results results) {
    ResultTable table = new ResultTable("load and server", results).score();
    return addCosts(table.median("MB/s", "megabytesPerSecond", 1)) + LEGEND;
  }
}
