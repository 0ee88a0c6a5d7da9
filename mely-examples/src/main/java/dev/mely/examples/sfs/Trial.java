package dev.mely.examples.sfs;

import dev.mely.Mely;
import dev.mely.Statistics;
import dev.mely.StealPolicy;
import dev.mely.nio.Nio;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * The papers' measurement with a server in this process: who uses how much of the CPUs is known.
 */
final class Trial implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final Duration LONGEST = Duration.ofHours(1);
  private static final int MIB = 1 << 20;
  private static final String CLIENT = "sfs-client-";

  private final Path folder;
  private final Path file;
  private final int clients;
  private final long size;
  private final int clientCores;

  /**
   * How the server runs.
   *
   * @param policy by which idle cores steal
   * @param cores how many it has; 0: one a CPU
   */
  record Setting(StealPolicy policy, int cores) {
    @Override
    public String toString() {
      return "policy " + policy + ", " + (cores == 0 ? "all cores" : "cores " + cores);
    }
  }

  /**
   * What was seen.
   *
   * @param results a client each
   * @param statistics of the server
   * @param wall from the first client's request to the last one's answer, nanoseconds
   * @param serverCpu of the server's cores, nanoseconds
   * @param clientCpu of the clients' cores, nanoseconds
   */
  record Outcome(
      List<Bench.Result> results,
      Statistics statistics,
      long wall,
      long serverCpu,
      long clientCpu) {
    double megabytes() {
      return results.stream().mapToLong(Bench.Result::bytes).sum() / 1e6;
    }

    double megabytesPerSecond() {
      return megabytes() * 1e9 / Math.max(1, wall);
    }

    double stealsPerThousand() {
      Statistics.PerCore all = statistics.total();
      return 1e3 * all.colorsStolen() / Math.max(1, all.events());
    }
  }

  /** Writes the file. Its contents do not matter, but no file system may take them for a hole. */
  Trial(int clients, long size, int clientCores) throws IOException {
    this.clients = clients;
    this.size = size;
    this.clientCores = clientCores;
    folder = Files.createTempDirectory("sfs-bench");
    file = folder.resolve("file");
    byte[] piece = new byte[MIB];
    new SplittableRandom(1).nextBytes(piece);
    try (OutputStream target = Files.newOutputStream(file)) {
      for (long at = 0; at < size; at += MIB) {
        target.write(piece, 0, (int) Math.min(MIB, size - at));
      }
    }
  }

  /**
   * Runs once.
   *
   * @param started is told of the server
   */
  Outcome run(Setting setting, Consumer<SfsServer> started) throws IOException {
    Identity self = Identity.generate();
    Clients known = new Clients(Map.of(self.id(), Clients.Right.READ));
    SfsConfig config = new SfsConfig(folder, Identity.generate(), known);
    config.runtime().cores(setting.cores());
    config.runtime().policy(setting.policy());
    try (SfsServer server = SfsServer.start(config)) {
      started.accept(server);
      return measure(server, self);
    }
  }

  private Outcome measure(SfsServer server, Identity self) throws IOException {
    AtomicInteger made = new AtomicInteger();
    try (Nio nio =
        Nio.start(
            Mely.builder()
                .cores(clientCores)
                .pinned(false)
                .threadFactory(task -> daemon(task, CLIENT + made.getAndIncrement())))) {
      List<SfsClient> connected = new ArrayList<>();
      try {
        connect(nio, server.path().withPath("file"), self, clients, connected);
        long server0 = cpu("mely-");
        long client0 = cpu(CLIENT);
        long begun = System.nanoTime();
        List<Bench.Result> results = Bench.run(connected, "file", size, LONGEST);
        return new Outcome(
            results,
            server.statistics(),
            System.nanoTime() - begun,
            cpu("mely-") - server0,
            cpu(CLIENT) - client0);
      } finally {
        connected.forEach(SfsClient::close);
      }
    }
  }

  /** Connects clients; those that have been connected are in the list, should one fail. */
  static void connect(Nio nio, RemotePath to, Identity self, int count, List<SfsClient> connected)
      throws IOException {
    for (int i = 0; i < count; i++) {
      connected.add(SfsClient.connect(nio, to, self, RekeyRule.DEFAULT, PATIENCE));
    }
  }

  private static Thread daemon(Runnable task, String name) {
    Thread thread = new Thread(task, name);
    thread.setDaemon(true);
    return thread;
  }

  /** What the threads of a name have used, in nanoseconds. */
  private static long cpu(String name) {
    ThreadMXBean bean = ManagementFactory.getThreadMXBean();
    long sum = 0;
    for (ThreadInfo info : bean.getThreadInfo(bean.getAllThreadIds())) {
      if (info != null && info.getThreadName().startsWith(name)) {
        sum += Math.max(0, bean.getThreadCpuTime(info.getThreadId()));
      }
    }
    return sum;
  }

  @Override
  public void close() throws IOException {
    Files.deleteIfExists(file);
    Files.delete(folder);
  }
}
