package dev.mely.bench.server;

import dev.mely.bench.ResultTable;
import dev.mely.bench.Results;
import picocli.CommandLine.Command;

/** Compares web servers that serve small files. */
@Command(
    name = "sws",
    description =
        "SWS, the web server of mely-examples, on Netty's own group and on Mely's, and nginx if"
            + " it is installed: files of 1 KB, 150 requests per connection. The client is wrk,"
            + " which must be installed, with one thread; it shares the machine's CPUs with the"
            + " server.")
public final class SwsCommand extends WebCommand {
  /** For picocli. */
  public SwsCommand() {
    super(200, 150, new Site.EqualFiles(100, 1_024));
  }

  @Override
  String table(Results results) {
    return addCosts(new ResultTable("load and server", results).score()) + LEGEND;
  }
}
