package dev.mely.bench.server;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Each server that is compared serves, and ends with its starter. */
@Timeout(300)
class ServerProcessTest {
  private static final List<String> FLAGS = List.of("-Xmx128m", "-XX:TieredStopAtLevel=1");
  private static final long MILLI = 1_000_000;

  /** Each transport and each group there is. */
  static Stream<Arguments> all() {
    return Stream.of(Transport.values())
        .flatMap(t -> Stream.of(Group.values()).map(g -> Arguments.of(t, g)));
  }

  /** The same in {@code -Pproof}; else each transport and each group once. */
  static Stream<Arguments> servers() {
    return Boolean.getBoolean("mely.proof")
        ? all()
        : Stream.of(
            Arguments.of(Transport.NIO, Group.MELY),
            Arguments.of(Transport.EPOLL, Group.STOCK),
            Arguments.of(Transport.EPOLL, Group.MELY_OFF));
  }

  private static ServerProcess start(Service service, Group group, Transport transport)
      throws IOException {
    assumeTrue(transport.isAvailable());
    return ServerProcess.start(new ServerSetup(service, group, transport, 2, false, null), FLAGS);
  }

  @ParameterizedTest
  @MethodSource("all")
  void echoes(Transport transport, Group group) throws IOException, InterruptedException {
    try (ServerProcess server = start(Service.ECHO, group, transport)) {
      try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
        byte[] message = "sixteen bytes...".getBytes(StandardCharsets.UTF_8);
        socket.getOutputStream().write(message);
        assertArrayEquals(message, socket.getInputStream().readNBytes(message.length));
      }
      try (LoadClient client = new LoadClient(server.port(), 8, EchoDialogue::new)) {
        Histogram times = client.exchange(3);
        assertEquals(8 * 3, times.getTotalCount());
        assertTrue(times.getMinValue() > 0);
        assertTrue(client.closed(50 * MILLI).getTotalCount() >= 8);
      }
      assertTrue(server.usage().cpuNanos() > 0);
    }
  }

  @ParameterizedTest
  @MethodSource("servers")
  void servesBusyAndLight(Transport transport, Group group)
      throws IOException, InterruptedException {
    try (ServerProcess server = start(Service.SKEW, group, transport);
        SkewClient client = new SkewClient(server.port(), SkewClient.skewed(2, 2, 2), 20 * MILLI)) {
      LoadClient.Result result;
      do {
        result = client.run(200 * MILLI);
      } while (result.closed().getTotalCount() == 0 || result.open().getTotalCount() == 0);
      // Bucketed to three digits.
      assertTrue(result.closed().getMinValue() > 0.99 * Frame.BUSY_NANOS);
    }
  }

  static Stream<Arguments> counters() {
    return servers()
        .flatMap(
            s ->
                Stream.of(Service.COUNTER_ATOMIC, Service.COUNTER_OWNED, Service.COUNTER_SHARED)
                    .map(c -> Arguments.of(c, s.get()[0], s.get()[1])));
  }

  /** The clients check that no two increments overlap. */
  @ParameterizedTest
  @MethodSource("counters")
  void counts(Service counter, Transport transport, Group group)
      throws IOException, InterruptedException {
    CounterClients clients = new CounterClients(50);
    try (ServerProcess server = start(counter, group, transport);
        LoadClient client = new LoadClient(server.port(), 8, clients::connect)) {
      assertEquals(8 * 500, client.exchange(500).getTotalCount());
    }
  }

  @ParameterizedTest
  @MethodSource("servers")
  void servesFiles(Transport transport, Group group, @TempDir Path files) throws Exception {
    assumeTrue(transport.isAvailable());
    Files.writeString(files.resolve("0.bin"), "nought");
    ServerSetup setup = new ServerSetup(Service.SWS, group, transport, 2, false, files.toString());
    try (ServerProcess server = ServerProcess.start(setup, FLAGS)) {
      URI uri = URI.create("http://127.0.0.1:" + server.port() + "/0.bin");
      HttpResponse<String> response =
          HttpClient.newHttpClient()
              .send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
      assertEquals("nought", response.body());
      Site site = new Site.EqualFiles(1, 6);
      try (LoadClient client = new LoadClient(server.port(), 2, HttpDialogue.of(site))) {
        assertTrue(client.count(20 * MILLI) >= 2);
      }
      Site missing = new Site.EqualFiles(2, 6);
      try (LoadClient client = new LoadClient(server.port(), 2, HttpDialogue.of(missing))) {
        IOException e = assertThrows(IOException.class, () -> client.count(20 * MILLI));
        assertTrue(e.getMessage().contains("404"), e::toString);
      }
    }
  }

  @Test
  void tellsOfAServerThatDoesNotStart() {
    ServerSetup setup = new ServerSetup(Service.ECHO, Group.STOCK, Transport.NIO, 2, false, null);
    assertThrows(IOException.class, () -> ServerProcess.start(setup, List.of("-Xmx1")).close());
  }
}
