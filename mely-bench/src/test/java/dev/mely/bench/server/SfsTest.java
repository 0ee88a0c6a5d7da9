package dev.mely.bench.server;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The encrypted file: its pieces, and the server that reads them. */
@Timeout(300)
class SfsTest {
  private static final int PIECES = 3;

  @TempDir private Path directory;

  @Test
  void isAsLargeAsThePapers() {
    SfsSite site = SfsSite.usual();
    assertEquals(200e6, site.paths().size() * (double) site.leastBytes(), 65_536);
    assertEquals(List.of("/0", "/1", "/2"), site.paths().subList(0, 3));
  }

  @Test
  void writesAsManyPiecesAsThereArePaths() throws IOException {
    SfsSite site = new SfsSite(PIECES);
    site.write(directory);
    assertEquals(
        site.paths().size() * (long) site.leastBytes(),
        Files.size(directory.resolve(SfsSite.FILE)));
  }

  /** Another client than wrk, byte by byte; and what is no piece is refused. */
  @ParameterizedTest
  @MethodSource("dev.mely.bench.server.ServerProcessTest#servers")
  void readsOverTls(Transport transport, Group group) throws Exception {
    assumeTrue(transport.isAvailable());
    new SfsSite(PIECES).write(directory);
    byte[] file = Files.readAllBytes(directory.resolve(SfsSite.FILE));
    ServerSetup setup =
        new ServerSetup(Service.SFS, group, transport, 2, false, directory.toString());
    List<String> flags = List.of("-Xmx128m", "-XX:TieredStopAtLevel=1");
    try (ServerProcess server = ServerProcess.start(setup, flags);
        SSLSocket socket = connect(server.port())) {
      assertTrue(socket.getSession().getProtocol().startsWith("TLSv1."));
      for (int i : new int[] {0, 2, 1}) {
        assertArrayEquals(
            Arrays.copyOfRange(file, i * SfsSite.PIECE_BYTES, (i + 1) * SfsSite.PIECE_BYTES),
            get(socket, "/" + i, "200 OK"));
      }
      for (String path : List.of("/3", "/-1", "/", "/file")) {
        assertEquals(0, get(socket, path, "404 Not Found").length);
      }
      SfsSite site = new SfsSite(PIECES);
      try (LoadClient client = new LoadClient(server.port(), 2, HttpDialogue.of(site))) {
        assertTrue(client.count(20_000_000) >= 2);
      }
      assertTrue(server.usage().cpuNanos() > 0);
    }
  }

  private static SSLSocket connect(int port) throws Exception {
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, InsecureTrustManagerFactory.INSTANCE.getTrustManagers(), null);
    return (SSLSocket)
        context.getSocketFactory().createSocket(InetAddress.getLoopbackAddress(), port);
  }

  /** Asks, and returns the content of the answer. */
  private static byte[] get(SSLSocket socket, String path, String status) throws IOException {
    socket
        .getOutputStream()
        .write(
            ("GET " + path + " HTTP/1.1\r\nHost: x\r\n\r\n").getBytes(StandardCharsets.US_ASCII));
    DataInputStream in = new DataInputStream(socket.getInputStream());
    StringBuilder head = new StringBuilder();
    while (head.indexOf("\r\n\r\n") < 0) {
      head.append((char) in.readUnsignedByte());
    }
    String[] lines = head.toString().strip().split("\r\n");
    assertEquals(List.of("HTTP/1.1 " + status), List.of(lines[0]));
    assertEquals(2, lines.length, head::toString);
    byte[] content = new byte[Integer.parseInt(lines[1].replaceAll("(?i)content-length: ", ""))];
    in.readFully(content);
    return content;
  }
}
