package dev.mely.bench.server;

import dev.mely.bench.ResultTable;
import dev.mely.bench.Results;
import dev.mely.bench.Score;
import picocli.CommandLine.Command;

/** Compares file servers that encrypt. */
@Command(
    name = "sfs",
    description =
        "The shape of the Secure File Server's load, not SFS itself: 16 clients read a cached"
            + " file of 200 MB, 64 KB per request, over TLS (the JDK's, through Netty's"
            + " SslHandler), on Netty's own group and on Mely's. The client is wrk, which must be"
            + " installed, with one thread; it decrypts on the CPUs that it shares with the"
            + " server.")
public final class SfsCommand extends WrkCommand {
  private static final Score BYTES = new Score("megabytesPerSecond", "MB/s", 1, 1, true);

  /** For picocli. */
  public SfsCommand() {
    super(16, BYTES, Service.SFS, SfsSite.usual());
  }

  @Override
  String table(Results results) {
    return addCosts(new ResultTable("load and server", results).score())
            .median("server CPUs", "serverCpus", 2)
        + "\nSFS's shape, not SFS: a request is an encrypted read of 64 KB.\n"
        + LEGEND;
  }
}
