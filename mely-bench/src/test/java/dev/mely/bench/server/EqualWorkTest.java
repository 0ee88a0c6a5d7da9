package dev.mely.bench.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.bench.Results;
import dev.mely.bench.Score;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Everybody is asked at the same rate; latency counts from when a request was due. */
@Timeout(300)
class EqualWorkTest {
  private static final long MILLI = 1_000_000;
  private static final List<String> FLAGS = List.of("-Xmx128m", "-XX:TieredStopAtLevel=1");

  @TempDir private Path directory;

  private Results echo(int samples, String... more) throws IOException {
    Path json = directory.resolve("echo.json");
    String line =
        "--connections=4 --time=0.2 --warm-up=0.1 --transports=nio --cores=2"
            + " --jvm-arg=-XX:TieredStopAtLevel=1 --json="
            + json
            + " --samples="
            + samples
            + " "
            + String.join(" ", more);
    assertEquals(0, new CommandLine(new EchoCommand()).execute(line.strip().split(" ")));
    return Results.fromJson(Files.readString(json));
  }

  /** The whole of it: both groups at a tenth and a fifth of what the stock group can do. */
  @Test
  void asksEverybodyAsOften() throws IOException {
    Results results;
    do {
      results = echo(2, "--equal-work=10,20", "--groups=stock,mely");
      // A machine that is busy may answer so few that none is due in so short a time: once more.
    } while (!wasAsked(results, 10) || !wasAsked(results, 20));
    for (String c : results.contenders()) {
      for (int share : new int[] {10, 20}) {
        String at = "at" + share + ".";
        assertTrue(results.median(c, at + "perSecond") > 0, c);
        // Counted in ticks of 10 ms, of which so short a sample may have none.
        assertTrue(results.median(c, at + "serverCpuMicros") >= 0, c);
        double p50 = results.median(c, at + "p50Micros");
        double p99 = results.median(c, at + "p99Micros");
        assertTrue(0 < p50 && p50 <= p99 && p99 <= results.median(c, at + "p99.9Micros"), c);
      }
      assertTrue(results.median(c, WarmUp.SECONDS) >= 0.1);
      assertTrue(results.median(c, "at20." + EqualWork.COMPILING) >= 0, c);
      assertTrue(Set.of(0.0, 1.0).contains(results.figure(c, "at20." + EqualWork.QUIET)[0]), c);
    }
    double asked = results.median("nio-stock", "at10.askedPerSecond");
    assertEquals(asked, results.median("nio-mely", "at10.askedPerSecond"));
    assertEquals(2 * asked, results.median("nio-mely", "at20.askedPerSecond"), 0.01 * asked);
    String table = equal("--equal-work=10,20").table(results);
    assertTrue(table.contains("| nio-mely at 20 % "), table);
    List<String> rows = table.lines().filter(l -> l.startsWith("| nio-")).toList();
    assertEquals(4, rows.size());
    assertTrue(rows.get(0).startsWith("| nio-stock at 10 %"), rows::toString);
    assertTrue(rows.get(1).startsWith("| nio-mely at 10 %"), rows::toString);
  }

  private static boolean wasAsked(Results results, int share) {
    return results.contenders().stream()
        .allMatch(c -> results.median(c, "at" + share + ".p50Micros") > 0);
  }

  @Test
  void isLeftOutWithoutTheStockGroup() throws IOException {
    Results results = echo(1, "--groups=mely");
    assertFalse(results.samples().toString().contains("at40"), results::toString);
    assertEquals("", equal().table(results));
  }

  @Test
  void isLeftOutIfNobodyWantsIt() throws IOException {
    Results results = echo(1, "--groups=stock", "--equal-work=0");
    assertFalse(results.samples().toString().contains("perSecond="), results::toString);
  }

  private static EqualWork equal(String... args) {
    EqualWork equal = new EqualWork();
    new CommandLine(CommandLine.Model.CommandSpec.create().addMixin("equal", mixin(equal)))
        .parseArgs(args);
    return equal;
  }

  private static CommandLine.Model.CommandSpec mixin(EqualWork equal) {
    return CommandLine.Model.CommandSpec.forAnnotatedObject(equal);
  }

  @Test
  void comparesWithTheStockGroupAtTheSameShare() {
    Map<String, List<Map<String, Double>>> samples = new LinkedHashMap<>();
    samples.put("stock", List.of(at(80, 10, 200), at(80, 20, 400)));
    samples.put("mely", List.of(at(80, 11, 100), at(80, 24, 200)));
    Results results =
        new Results(
            "echo",
            "",
            new Score("messagesPerSecond", "K messages/s", 1e3, 1, true),
            Map.of("stock", "stock", "mely", "stock"),
            Map.of(),
            samples);
    String table = equal().table(results);
    String row = table.lines().filter(l -> l.startsWith("| mely at 80 %")).findFirst().get();
    List<String> cells = List.of(row.substring(1).strip().split("\\s*\\|\\s*"));
    assertEquals(
        List.of("mely at 80 %", "1,000", "17.50", "1.15", "1.10–1.20", "–", "150", "0.50"),
        cells.subList(0, 8));
  }

  private static Map<String, Double> at(int share, double cpu, double p99) {
    String at = "at" + share + ".";
    return Map.of(at + "perSecond", 1_000.0, at + "serverCpuMicros", cpu, at + "p99Micros", p99);
  }

  /** Each compiles less than the one before. */
  private static Map<String, Double> quiet(Map<String, double[]> percents) throws Exception {
    int[] calls = {0};
    return EqualWork.quiet(
        () -> {
          Map<String, Double> figures = new HashMap<>(Map.of(EqualWork.COMPILING, 0.0));
          percents.forEach((name, values) -> figures.put(name, values[calls[0]]));
          calls[0]++;
          return figures;
        });
  }

  @Test
  void waitsForTheCompilersOfBothSides() throws Exception {
    double[] less = {2, 1.1, 0.9};
    assertEquals(3, quiet(Map.of(EqualWork.COMPILING, less)).get(EqualWork.TRIES));
    assertEquals(3, quiet(Map.of("c2Percent", less)).get(EqualWork.TRIES));
    double[] both = {0.6, 0.6, 0.5};
    assertEquals(3, quiet(Map.of("c1Percent", both, "c2Percent", both)).get(EqualWork.TRIES));
    assertEquals(1, quiet(Map.of()).get(EqualWork.TRIES), "unknown");
    assertEquals(1, quiet(Map.of("c2Percent", new double[] {1})).get(EqualWork.QUIET));
  }

  @Test
  void doesNotWaitForEver() throws Exception {
    Map<String, Double> figures = quiet(Map.of("c2Percent", new double[] {9, 9, 9, 9, 9}));
    assertEquals(5, figures.get(EqualWork.TRIES));
    assertEquals(0, figures.get(EqualWork.QUIET));
  }

  @Test
  void servesAsManyAsAreDue() throws Exception {
    ServerSetup setup = new ServerSetup(Service.ECHO, Group.MELY, Transport.NIO, 2, false, null);
    try (ServerProcess server = ServerProcess.start(setup, FLAGS);
        LoadClient client = echoes(server.port(), 3)) {
      double closed = client.count(100 * MILLI);
      assertTrue(closed >= 3);
      assertEquals(client.answered(), closed);
      LoadClient.Result result = client.open(500, 400 * MILLI);
      assertEquals(client.answered() - closed, result.open().getTotalCount());
      assertEquals(result.open().getTotalCount(), result.late().getTotalCount());
      // Some 200; a Poisson process has fewer than 100, or more than 300, never.
      assertEquals(200, result.open().getTotalCount(), 100);
    }
  }

  private static LoadClient echoes(int port, int connections) throws Exception {
    return new LoadClient(port, connections, EchoDialogue::new);
  }

  /** A server that pauses: those that were due meanwhile have waited, though they were not sent. */
  @Test
  void countsFromWhenARequestWasDue() throws Exception {
    try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      CompletableFuture<Void> server =
          CompletableFuture.runAsync(
              () -> {
                try (Socket socket = listener.accept()) {
                  byte[] message = socket.getInputStream().readNBytes(Frame.BYTES);
                  Thread.sleep(500);
                  while (message.length == Frame.BYTES) {
                    socket.getOutputStream().write(message);
                    message = socket.getInputStream().readNBytes(Frame.BYTES);
                  }
                } catch (IOException | InterruptedException e) {
                  throw new IllegalStateException(e);
                }
              });
      try (LoadClient client = echoes(listener.getLocalPort(), 1)) {
        LoadClient.Result result = client.open(200, 300 * MILLI);
        assertTrue(result.open().getTotalCount() > 1);
        // The last one was due 200 ms before the pause ended, at the latest.
        assertTrue(result.open().getMinValue() >= 150 * MILLI, result.open()::toString);
      }
      server.handle((nothing, error) -> nothing).join();
    }
  }

  @Test
  void noticesAnEchoThatIsNone() throws Exception {
    try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      CompletableFuture<Void> server =
          CompletableFuture.runAsync(
              () -> {
                try (Socket socket = listener.accept()) {
                  socket.getOutputStream().write(socket.getInputStream().readNBytes(8));
                  socket.getOutputStream().write(new byte[8]);
                  socket.getInputStream().readAllBytes(); // until the client has gone
                } catch (IOException e) {
                  throw new IllegalStateException(e);
                }
              });
      try (LoadClient client = echoes(listener.getLocalPort(), 1)) {
        IOException e = assertThrows(IOException.class, () -> client.count(MILLI));
        assertTrue(e.getMessage().contains("message 1 came back as"), e::toString);
      }
      server.handle((nothing, error) -> nothing).join();
    }
  }
}
