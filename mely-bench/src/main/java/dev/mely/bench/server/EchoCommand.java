package dev.mely.bench.server;

import dev.mely.bench.ResultTable;
import dev.mely.bench.Results;
import dev.mely.bench.SampleTime;
import java.util.List;
import picocli.CommandLine.Command;

/** Compares echo servers. */
@Command(
    name = "echo",
    description =
        "Netty echo servers on loopback, on Netty's own group and on Mely's: many connections,"
            + " each with one outstanding message of 16 bytes. The client is one thread of this"
            + " process; it shares the machine's CPUs with the server.")
public final class EchoCommand extends MessageCommand {
  /** For picocli. */
  public EchoCommand() {
    super(64, new SampleTime(), "nio", "epoll");
  }

  @Override
  List<Load> loads() {
    return List.of(new Load("", Service.ECHO, 0));
  }

  /** The table: each row's reference is the stock group on the same transport. */
  @Override
  String table(Results results) {
    return columns("server", results)
        + """

        Medians of the samples. × stock: ratio to Netty's own group on the same transport, sample by
        sample, with its range. p50, p99: round trip, in a closed loop. CPU, switches: CPU time and context
        switches of the server's process.
        """
        + ResultTable.CPUS_LEGEND;
  }
}
