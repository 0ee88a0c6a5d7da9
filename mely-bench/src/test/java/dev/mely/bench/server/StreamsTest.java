package dev.mely.bench.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.mely.bench.Results;
import dev.mely.bench.Score;
import io.netty.channel.EventLoopGroup;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** All servers of {@link StreamsCommand} answer each request, and the clients notice if not. */
@Timeout(300)
class StreamsTest {
  private static final int CORES = 2;
  private static final int STREAMS = 100;

  @TempDir private Path directory;

  /** What a test does with a server in this JVM. */
  private interface Use {
    void of(int port) throws Exception;
  }

  private static void with(Protocol protocol, Offload offload, Use use) throws Exception {
    EventLoopGroup group = offload.group().start(Transport.NIO, CORES, false, new LoopThreads());
    try {
      use.of(StreamsMain.listen(new StreamsSetup(protocol, offload, Transport.NIO, CORES), group));
    } finally {
      group.shutdownGracefully(0, 10, TimeUnit.SECONDS).await(60, TimeUnit.SECONDS);
    }
  }

  private static Stream<Offload> of(Protocol protocol) {
    return protocol.offloads().stream().filter(o -> o.unavailability() == null);
  }

  static Stream<Offload> http2() {
    return of(Protocol.H2);
  }

  static Stream<Offload> grpc() {
    return of(Protocol.GRPC);
  }

  @ParameterizedTest
  @MethodSource("http2")
  void answersEachStream(Offload offload) throws Exception {
    with(
        Protocol.H2,
        offload,
        port -> {
          try (Http2Requests client = new Http2Requests(port)) {
            for (int micros = 1; micros <= STREAMS; micros++) {
              client.ask("/" + micros);
            }
            for (int micros = 1; micros <= STREAMS; micros++) {
              StreamAnswer.check(client.body("/" + micros), micros);
            }
          }
        });
  }

  @ParameterizedTest
  @MethodSource("grpc")
  void answersEachCall(Offload offload) throws Exception {
    with(
        Protocol.GRPC,
        offload,
        port -> {
          StreamsClient.Result result;
          long millis = 20;
          do { // a busy machine may answer late
            millis *= 2;
            result =
                GrpcClientMain.run(
                    new StreamsClient.Load(
                        port, STREAMS, 7, TimeUnit.MILLISECONDS.toNanos(millis)));
          } while (result.requests() == 0);
          assertTrue(result.p50() >= 7 && result.p99() >= result.p50(), result::toString);
        });
  }

  /** The client has a JVM of its own. */
  @Test
  void noticesAMissingServer() throws IOException {
    try (GrpcClient client = new GrpcClient(List.of("-XX:TieredStopAtLevel=1"))) {
      assertThrows(IOException.class, () -> client.run(new StreamsClient.Load(1, 1, 1, 1)));
    }
  }

  @Test
  void noticesAWrongBody() throws IOException {
    byte[] body = StreamAnswer.compute(7);
    StreamAnswer.check(body, 7);
    assertThrows(IOException.class, () -> StreamAnswer.check(body, 8));
    assertThrows(IOException.class, () -> StreamAnswer.check(Arrays.copyOf(body, 15), 7));
  }

  private static final String OUTPUT =
      """
      requests: 1000 total, 1100 started, 1000 done, 1000 succeeded, 0 failed, 0 errored, 0 timeout
      status codes: 1003 2xx, 0 3xx, 0 4xx, 0 5xx
      traffic: 36.01KB (36871) total, 5.86KB (6003) headers (space savings 90.91%), 15.67KB (16048) data
      0m0.001000s 0m0.002000s
      1m1.500000s 0m0.250000s
      """;

  private static final List<String> LOG = List.of("5\t200\t1000", "6\t200\t2000", "7\t200\t3000");

  @Test
  void readsWhatH2loadSays() throws IOException {
    StreamsClient.Result result = H2load.parse(OUTPUT, LOG, 100);
    assertEquals(1_000, result.requests());
    assertEquals(61_750_000_000L, result.cpuNanos());
    assertEquals(2_000, result.p50(), 2);
    assertEquals(3_000, result.p99(), 3);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "0 failed|1 failed",
        "0 errored|1 errored",
        "0 timeout|1 timeout",
        "1003 2xx|999 2xx",
        "(16048) data|(14384) data", // less than 100 streams may have received in part
        "1000 succeeded|connect() failed"
      })
  void noticesWrongAnswers(String change) {
    String[] words = change.split("\\|", -1);
    String output = OUTPUT.replace(words[0], words[1]);
    assertThrows(IOException.class, () -> H2load.parse(output, LOG, 100));
  }

  private Results run(Protocol protocol, String... more) throws IOException {
    List<String> args = new ArrayList<>(List.of(more));
    args.addAll(
        List.of(
            "--" + protocol.label(),
            "--rounds=1",
            "--warm-up=0.6",
            "--work=1,5",
            "--cores=2",
            "--jvm-arg=-XX:TieredStopAtLevel=1",
            "--out=" + directory));
    int seconds = 1; // a busy machine may answer nothing for a second
    while (new CommandLine(new StreamsCommand())
            .execute(
                Stream.concat(args.stream(), Stream.of("--seconds=" + seconds))
                    .toArray(String[]::new))
        != 0) {
      seconds *= 2;
      assertTrue(seconds <= 32, "nothing is answered");
    }
    Path file = directory.resolve("streams-" + protocol.label() + ".json");
    return Results.fromJson(Files.readString(file));
  }

  private static void assertCompared(Results results, String... names) {
    assertEquals(List.of(names), results.contenders());
    for (String name : names) {
      assertTrue(results.median(name, "requestsPerSecond") > 0);
      assertTrue(results.median(name, "p99Millis") >= results.median(name, "p50Millis"));
      assertTrue(results.ratio(name).median() > 0);
    }
  }

  @Test
  void comparesCalls() throws IOException {
    assertCompared(
        run(Protocol.GRPC, "--servers=stock,mely-tasks,non-sticky"),
        "1 µs stock",
        "1 µs mely-tasks",
        "5 µs stock",
        "5 µs mely-tasks");
    assertTrue(Files.exists(directory.resolve("streams-grpc-p99Millis.png")));
  }

  @Test
  void leavesOutAProtocolWithoutServers() {
    assertEquals(
        0,
        new CommandLine(new StreamsCommand())
            .execute("--h2", "--servers=mely-tasks", "--h2load=no-such-program"));
  }

  @Test
  void comparesStreams() throws IOException {
    assumeTrue(Wrk.isInstalled("h2load"), "h2load is installed");
    assertCompared(
        run(Protocol.H2, "--servers=mely,stock"),
        "1 µs stock",
        "1 µs mely",
        "5 µs stock",
        "5 µs mely");
  }

  @Test
  void tabulates() {
    Score score = new Score("requestsPerSecond", "requests/s", 1, 0, true);
    Map<String, Double> sample = Map.of("requestsPerSecond", 1_234.0, "p99Millis", 56.78);
    String table =
        StreamsCommand.table(
            new Results("a", "", score, Map.of("x", "x"), Map.of(), Map.of("x", List.of(sample))));
    assertTrue(table.contains(" 1,234 |"), table);
    assertTrue(table.contains(" 56.78 |"), table);
  }
}
