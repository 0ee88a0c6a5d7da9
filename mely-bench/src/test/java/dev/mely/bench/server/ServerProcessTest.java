package dev.mely.bench.server;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Each server that is compared serves, and ends with its starter. */
@Timeout(60)
class ServerProcessTest {
  private static final List<String> FLAGS = List.of("-Xmx128m", "-XX:TieredStopAtLevel=1");
  private static final long MILLI = 1_000_000;

  static Stream<Arguments> servers() {
    return Stream.of(Transport.values())
        .flatMap(t -> Stream.of(Group.values()).map(g -> Arguments.of(t, g)));
  }

  private static ServerProcess start(Service service, Group group, Transport transport)
      throws IOException {
    assumeTrue(transport.isAvailable());
    return ServerProcess.start(service, group, transport, 2, false, FLAGS);
  }

  @ParameterizedTest
  @MethodSource("servers")
  void echoes(Transport transport, Group group) throws IOException {
    try (ServerProcess server = start(Service.ECHO, group, transport)) {
      try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
        byte[] message = "sixteen bytes...".getBytes(StandardCharsets.UTF_8);
        socket.getOutputStream().write(message);
        assertArrayEquals(message, socket.getInputStream().readNBytes(message.length));
      }
      try (EchoClient client = new EchoClient(server.port(), 8)) {
        Histogram times = new Histogram(3);
        long back = 0;
        while (back <= 8) { // the second message of some connection, at least
          back += client.run(50 * MILLI, times);
        }
        assertEquals(back, times.getTotalCount());
        assertTrue(times.getMinValue() > 0);
      }
      assertTrue(server.usage().cpuNanos() > 0);
    }
  }

  @ParameterizedTest
  @MethodSource("servers")
  void servesBusyAndLight(Transport transport, Group group)
      throws IOException, InterruptedException {
    try (ServerProcess server = start(Service.SKEW, group, transport);
        SkewClient client = new SkewClient(server.port(), SkewClient.skewed(2, 2, 2))) {
      SkewClient.Result result;
      do {
        result = client.run(200 * MILLI);
      } while (result.busy().getTotalCount() == 0 || result.light().getTotalCount() == 0);
      // Bucketed to three digits.
      assertTrue(result.busy().getMinValue() > 0.99 * Frame.BUSY_NANOS);
    }
  }

  @Test
  void tellsOfAServerThatDoesNotStart() {
    assertThrows(
        IOException.class,
        () ->
            ServerProcess.start(
                    Service.ECHO, Group.STOCK, Transport.NIO, 2, false, List.of("-Xmx1"))
                .close());
  }
}
