package dev.mely.examples.sws;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** All 720 files of {@link Web03Tree}, fetched by independent clients, compared byte by byte. */
class WholeTreeTest {
  private static final String TRANSPORTS = "dev.mely.examples.sws.Transports#available";

  @TempDir private static Path root;
  private static ExecutorService threads;

  @BeforeAll
  static void writeTree() throws IOException {
    Web03Tree.write(root);
    threads = Executors.newFixedThreadPool(4);
  }

  @AfterAll
  static void stopThreads() {
    threads.shutdownNow();
  }

  @ParameterizedTest
  @MethodSource(TRANSPORTS)
  void jdkHttpClient(Transport transport) throws Exception {
    try (SwsServer server = SwsServer.start(Transports.config(root, transport).build())) {
      HttpClient client = HttpClient.newBuilder().executor(threads).build();
      Web03Tree.forEach(
          (path, content) -> {
            HttpRequest request = HttpRequest.newBuilder(URI.create(server.url() + path)).build();
            HttpResponse<byte[]> response = client.send(request, BodyHandlers.ofByteArray());
            assertEquals(200, response.statusCode(), path);
            assertArrayEquals(content, response.body(), path);
          });
    }
  }

  @ParameterizedTest
  @MethodSource(TRANSPORTS)
  void pipelinedOnEightConnections(Transport transport) throws Exception {
    try (SwsServer server = SwsServer.start(Transports.config(root, transport).build())) {
      List<Future<?>> clients = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        int first = i;
        clients.add(
            threads.submit(
                () -> {
                  pipelined(server, first, 8);
                  return null;
                }));
      }
      for (Future<?> client : clients) {
        client.get(60, TimeUnit.SECONDS);
      }
    }
  }

  /** Sends the requests for all files of some directories at once, then reads the responses. */
  private static void pipelined(SwsServer server, int first, int step) throws IOException {
    try (RawClient client = new RawClient(server)) {
      for (int d = first; d < Web03Tree.DIRECTORIES; d += step) {
        StringBuilder requests = new StringBuilder();
        for (int f = 1; f <= Web03Tree.FILES; f++) {
          for (int c = 0; c < Web03Tree.CLASSES; c++) {
            requests.append(RawClient.get("/" + Web03Tree.path(d, c, f)));
          }
        }
        client.send(requests.toString());
        for (int f = 1; f <= Web03Tree.FILES; f++) {
          for (int c = 0; c < Web03Tree.CLASSES; c++) {
            RawClient.Response response = client.read();
            assertEquals(200, response.status());
            assertArrayEquals(Web03Tree.content(d, c, f), response.body());
          }
        }
      }
    }
  }

  @ParameterizedTest
  @MethodSource(TRANSPORTS)
  void nothingPrebuilt(Transport transport) throws Exception {
    SwsConfig config = Transports.config(root, transport).prebuilt(0, 0).build();
    try (SwsServer server = SwsServer.start(config)) {
      pipelined(server, 0, 10);
    }
  }

  @ParameterizedTest
  @MethodSource(TRANSPORTS)
  void curl(Transport transport, @TempDir Path downloads) throws Exception {
    assumeTrue(isInstalled("curl"), "curl is not installed");
    try (SwsServer server = SwsServer.start(Transports.config(root, transport).build())) {
      List<String> lines = new ArrayList<>();
      lines.add("fail\nsilent\nshow-error");
      Web03Tree.forEach(
          (path, content) -> {
            lines.add("url = \"" + server.url() + path + "\"");
            lines.add("output = \"" + downloads.resolve(path.replace('/', '_')) + "\"");
          });
      Path commands = Files.write(downloads.resolve("commands"), lines);
      Process curl =
          new ProcessBuilder("curl", "--config", commands.toString()).inheritIO().start();
      assertEquals(0, curl.waitFor());
      Web03Tree.forEach(
          (path, content) ->
              assertArrayEquals(
                  content, Files.readAllBytes(downloads.resolve(path.replace('/', '_'))), path));
    }
  }

  private static boolean isInstalled(String command) throws InterruptedException {
    try {
      Process process =
          new ProcessBuilder(command, "--version")
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start();
      return process.waitFor() == 0;
    } catch (IOException absent) {
      return false;
    }
  }
}
