package dev.mely.examples.sfs;

import dev.mely.Mely;
import dev.mely.StealPolicy;
import dev.mely.examples.PolicyConverter;
import dev.mely.examples.SizeConverter;
import dev.mely.examples.service.CoreTable;
import dev.mely.examples.sfs.SfsClient.RemoteFile;
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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * {@code sfs bench}: the papers' measurement of SFS. Clients read one large file at the same time,
 * each over a connection of its own (Mely, section V-C-2: 16 clients, 200 MB). Each measures its
 * throughput; nothing is cached, and arriving data is decrypted, verified and dropped.
 */
@Command(
    name = "bench",
    description = {
      "Lets many clients read a large file at the same time, as both papers do (Mely, section"
          + " V-C-2), and prints how fast. Without PATH it starts a server of its own in this"
          + " process."
    },
    sortOptions = false)
final class BenchCommand implements Callable<Integer> {
  private static final int MIB = 1 << 20;
  private static final Duration LONGEST = Duration.ofHours(1);

  /** How many reads of a client are in flight at a time. */
  private static final int WINDOW = 4;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Mixin private ClientOptions client = new ClientOptions();

  @Parameters(
      arity = "0..1",
      paramLabel = "PATH",
      converter = ClientOptions.PathConverter.class,
      description = "A file of a server, sfs://KEY@HOST:PORT/PATH, at least as long as --size.")
  private @Nullable RemotePath path;

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
    try {
      return ClientOptions.attempt(client.err(), this::run);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
    }
  }

  private void run() throws IOException {
    if (path == null) {
      withServer();
    } else {
      measure(path, client.self());
    }
  }

  /** The file's content does not matter, but it must not be stored as a hole. */
  private void withServer() throws IOException {
    PrintWriter out = client.out();
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
      KnownClients known = new KnownClients(Map.of(self.id(), false));
      SfsConfig config = new SfsConfig(folder, Identity.generate(), known).maxClients(clients);
      config.cores(cores);
      config.policy(policy);
      try (SfsServer server = SfsServer.start(config, Mely.builder().pinned(true))) {
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
          connected.add(SfsClient.connect(nio, target, self, RekeyRule.DEFAULT, client.patience()));
        }
        print(measure(connected, target.path(), size, LONGEST));
      } finally {
        connected.forEach(SfsClient::close);
      }
    }
  }

  /**
   * Lets all clients read at the same time.
   *
   * @return megabytes per second of each client, from its first request to its last answer
   */
  static List<Double> measure(List<SfsClient> clients, String path, long size, Duration patience)
      throws IOException {
    List<RemoteFile> files = new ArrayList<>();
    for (SfsClient client : clients) {
      RemoteFile file = client.open(path, Message.READ);
      long there = file.attributes().size();
      if (there < size) {
        throw new IOException("'" + path + "' has only " + there + " bytes of " + size);
      }
      files.add(file);
    }
    List<Double> rates = new ArrayList<>();
    for (CompletableFuture<Double> rate : files.stream().map(f -> rate(f, size)).toList()) {
      rates.add(SfsClient.await(rate, patience));
    }
    return rates;
  }

  private static CompletableFuture<Double> rate(RemoteFile file, long size) {
    long begun = System.nanoTime();
    AtomicLong asked = new AtomicLong();
    return CompletableFuture.allOf(
            Stream.generate(() -> read(file, asked, size))
                .limit(WINDOW)
                .toArray(CompletableFuture[]::new))
        .thenApply(read -> size * 1e3 / Math.max(1, System.nanoTime() - begun));
  }

  /** Reads the next unrequested piece, and so on until all are requested. */
  private static CompletableFuture<Boolean> read(RemoteFile file, AtomicLong asked, long size) {
    long at = asked.getAndAdd(Message.MAX_DATA);
    if (at >= size) {
      return CompletableFuture.completedFuture(true);
    }
    int length = (int) Math.min(Message.MAX_DATA, size - at);
    return file.read(at, length)
        .thenCompose(
            data ->
                data.remaining() == length
                    ? read(file, asked, size)
                    : CompletableFuture.failedFuture(new IOException("the file was truncated")));
  }

  private void print(List<Double> each) {
    DoubleSummaryStatistics rates =
        each.stream().mapToDouble(Double::doubleValue).summaryStatistics();
    PrintWriter out = client.out();
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
