package dev.mely.examples.sfs;

import dev.mely.Mely;
import dev.mely.StealPolicy;
import dev.mely.examples.PolicyConverter;
import dev.mely.examples.SizeConverter;
import dev.mely.examples.service.CoreTable;
import dev.mely.nio.Nio;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.DoubleSummaryStatistics;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code sfs bench}: the papers' measurement, as a command. */
@Command(
    name = "bench",
    description = {
      "Has many clients read a large file at the same time, as both papers do (Mely, section V-C-2),"
          + " and prints how fast. Without PATH it starts a server of its own in this process."
    },
    sortOptions = false)
final class BenchCommand implements Callable<Integer> {
  private static final int MIB = 1 << 20;
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final Duration LONGEST = Duration.ofHours(1);

  @Spec private CommandSpec spec = CommandSpec.create();

  @Parameters(
      arity = "0..1",
      paramLabel = "PATH",
      converter = ClientCommand.PathConverter.class,
      description = "A file of a server, sfs://KEY@HOST:PORT/PATH, at least as long as --size.")
  private @Nullable RemotePath path;

  @Option(names = "--key", paramLabel = "FILE", description = "This client's key file, with PATH.")
  private @Nullable Path key;

  @Option(
      names = "--clients",
      paramLabel = "N",
      defaultValue = "16",
      description = "How many clients read (default: ${DEFAULT-VALUE}).")
  private int clients = 16;

  @Option(
      names = "--size",
      paramLabel = "BYTES",
      defaultValue = "200MB",
      converter = SizeConverter.class,
      description = "How much each reads, such as 200MB or 64KiB (default: ${DEFAULT-VALUE}).")
  private long size;

  @Option(
      names = "--client-cores",
      paramLabel = "N",
      defaultValue = "0",
      description = "How many cores the clients use together (default: all).")
  private int clientCores;

  @Option(
      names = "--cores",
      paramLabel = "N",
      defaultValue = "0",
      description = "Without PATH: how many cores the server uses (default: all).")
  private int cores;

  @Option(
      names = "--policy",
      paramLabel = "NAME",
      converter = PolicyConverter.class,
      defaultValue = "all",
      description = "Without PATH: how the server's idle cores steal, as in 'sfs serve'.")
  private StealPolicy policy = StealPolicy.ALL;

  @Override
  public Integer call() {
    if (clients < 1 || clients > 10_000) {
      throw new ParameterException(spec.commandLine(), "clients must be 1 to 10000");
    }
    if (path != null && key == null) {
      throw new ParameterException(spec.commandLine(), "with PATH there must be a --key");
    }
    try {
      if (path != null && key != null) {
        measure(path, Identity.load(key));
      } else {
        withServer();
      }
      return 0;
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
    } catch (IOException e) {
      spec.commandLine().getErr().println("sfs: " + Printable.of(String.valueOf(e.getMessage())));
      spec.commandLine().getErr().flush();
      return 1;
    }
  }

  /** The contents of its file do not matter, but no file system may take them for a hole. */
  private void withServer() throws IOException {
    PrintWriter out = spec.commandLine().getOut();
    Path folder = Files.createTempDirectory("sfs-bench");
    Path file = folder.resolve("file");
    try {
      byte[] piece = new byte[MIB];
      new SplittableRandom(1).nextBytes(piece);
      try (OutputStream target = Files.newOutputStream(file)) {
        for (long at = 0; at < size; at += MIB) {
          target.write(piece, 0, (int) Math.min(MIB, size - at));
        }
      }
      Identity self = Identity.generate();
      Clients known = new Clients(Map.of(self.id(), Clients.Right.READ));
      SfsConfig config = new SfsConfig(folder, Identity.generate(), known).maxClients(clients);
      config.runtime().cores(cores);
      config.runtime().policy(policy);
      try (SfsServer server = SfsServer.start(config)) {
        out.println("sfs: " + server.description());
        out.flush();
        measure(server.path().withPath("file"), self);
        out.print(CoreTable.format(CoreTable.rows(server.statistics())));
        out.flush();
      }
    } finally {
      Files.deleteIfExists(file);
      Files.delete(folder);
    }
  }

  private void measure(RemotePath target, Identity self) throws IOException {
    List<SfsClient> connected = new ArrayList<>();
    try (Nio nio = Nio.start(Mely.builder().cores(clientCores).pinned(false))) {
      try {
        for (int i = 0; i < clients; i++) {
          connected.add(SfsClient.connect(nio, target, self, RekeyRule.DEFAULT, PATIENCE));
        }
        print(Bench.run(connected, target.path(), size, LONGEST));
      } finally {
        connected.forEach(SfsClient::close);
      }
    }
  }

  private void print(List<Double> each) {
    DoubleSummaryStatistics rates =
        each.stream().mapToDouble(Double::doubleValue).summaryStatistics();
    PrintWriter out = spec.commandLine().getOut();
    out.printf(
        Locale.ROOT,
        "sfs: %d clients read %,d bytes each: %.1f MB/s in all, %.1f to %.1f MB/s each%n",
        clients,
        size,
        rates.getSum(),
        rates.getMin(),
        rates.getMax());
    out.flush();
  }
}
