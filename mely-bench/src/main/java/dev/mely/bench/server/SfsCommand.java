package dev.mely.bench.server;

import dev.mely.bench.ResultTable;
import dev.mely.bench.Results;
import dev.mely.bench.Score;
import picocli.CommandLine.Command;

/** Compares file servers that encrypt. */
@Command(
    name = "sfs",
    description =
        "The shape of the Secure File Server's load, not SFS itself: 16 clients read a cached file"
            + " of 200 MB, a request for each 64 KB of it, over TLS (the JDK's, through Netty's"
            + " SslHandler), on Netty's own group and on Mely's. The client is wrk, which must be"
            + " installed, with one thread; it decrypts on the CPUs that it shares with the"
            + " server.")
public final class SfsCommand extends WrkCommand {
  private static final Score BYTES = new Score("megabytesPerSecond", "MB/s", 1, 1, true);

  /** Made by the command line alone. */
  public SfsCommand() {
    super(16, BYTES, Service.SFS, SfsSite.usual());
  }

  @Override
  String table(Results results) {
    return new ResultTable("load and server", results)
            .score()
            .median("reads/s", "requestsPerSecond", 0)
            .median("p50 ms", "p50Millis", 2)
            .median("p99 ms", "p99Millis", 2)
            .median("CPU µs/read", "serverCpuMicros", 1)
            .median("switches/read", "switches", 3)
            .median("steals/1000", "stealsPerThousand", 2)
            .median("steal µs", "stealMicros", 2)
            .median("stolen µs", "stolenMicros", 2)
            .median("failed", "failed", 0)
            .median("server CPUs", "serverCpus", 2)
            .cpus()
        + """

        SFS's shape, not SFS: an encrypted read of 64 KB a request. Medians of the samples. × stock: ratio to
        Netty's own group with as many connections, on the same transport; sample by sample, with its range.
        p50, p99: latency of a read in a closed loop, as wrk has it. CPU, switches: of the server's process.
        steals/1000: in 1,000 reads; steal µs: what a steal costs the thief; stolen µs: how long it then is in
        the stolen color. failed: reads without an answer, or with an error. client CPUs: what wrk used, which
        decrypts, of the CPUs that it shares with the server; others CPUs: what all other processes did.
        """
        + ResultTable.CPUS_LEGEND;
  }
}
