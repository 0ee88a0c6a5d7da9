package dev.mely.examples.sws;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.mely.examples.Programs;
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

/** All files of a {@link FileTree}, fetched by independent clients, compared byte by byte. */
class WholeTreeTest {
  private static final String TRANSPORTS = "dev.mely.examples.sws.Transports#available";

  @TempDir private static Path root;
  private static ExecutorService threads;

  @BeforeAll
  static void writeTree() throws IOException {
    FileTree.write(root);
    threads = Executors.newFixedThreadPool(4);
  }

  @AfterAll
  static void stopThreads() {
    threads.shutdownNow();
  }

  @ParameterizedTest
  @MethodSource(TRANSPORTS)
  void jdkHttpClient(Build build) throws Exception {
    try (WebServer server = build.start(Transports.config(root, build))) {
      HttpClient client = HttpClient.newBuilder().executor(threads).build();
      for (int file = 0; file < FileTree.FILES; file++) {
        String path = FileTree.path(file);
        HttpRequest request = HttpRequest.newBuilder(URI.create(server.url() + path)).build();
        HttpResponse<byte[]> response = client.send(request, BodyHandlers.ofByteArray());
        assertEquals(200, response.statusCode(), path);
        assertArrayEquals(FileTree.content(file), response.body(), path);
      }
    }
  }

  @ParameterizedTest
  @MethodSource(TRANSPORTS)
  void pipelinedOnEightConnections(Build build) throws Exception {
    try (WebServer server = build.start(Transports.config(root, build))) {
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
        client.get(120, TimeUnit.SECONDS);
      }
    }
  }

  /** Sends the requests for all files of some directories at once, then reads the responses. */
  private static void pipelined(WebServer server, int first, int step) throws IOException {
    try (RawClient client = new RawClient(server)) {
      for (int d = first; d < FileTree.DIRECTORIES; d += step) {
        StringBuilder requests = new StringBuilder();
        for (int file : FileTree.filesOf(d)) {
          requests.append(RawClient.get("/" + FileTree.path(file)));
        }
        client.send(requests.toString());
        for (int file : FileTree.filesOf(d)) {
          RawClient.Response response = client.read();
          assertEquals(200, response.status());
          assertArrayEquals(FileTree.content(file), response.body());
        }
      }
    }
  }

  @ParameterizedTest
  @MethodSource(TRANSPORTS)
  void nothingPrebuilt(Build build) throws Exception {
    SwsConfig config = Transports.config(root, build).prebuilt(0, 0);
    try (WebServer server = build.start(config)) {
      pipelined(server, 0, 10);
    }
  }

  @ParameterizedTest
  @MethodSource(TRANSPORTS)
  void curl(Build build, @TempDir Path downloads) throws Exception {
    assumeTrue(Programs.run("curl", "--version"), "curl is not installed");
    try (WebServer server = build.start(Transports.config(root, build))) {
      List<String> lines = new ArrayList<>();
      lines.add("fail\nsilent\nshow-error");
      for (int file = 0; file < FileTree.FILES; file++) {
        lines.add("url = \"" + server.url() + FileTree.path(file) + "\"");
        lines.add("output = \"" + downloads.resolve(Integer.toString(file)) + "\"");
      }
      Path commands = Files.write(downloads.resolve("commands"), lines);
      assertTrue(Programs.run("curl", "--config", commands.toString()));
      for (int file = 0; file < FileTree.FILES; file++) {
        byte[] got = Files.readAllBytes(downloads.resolve(Integer.toString(file)));
        assertArrayEquals(FileTree.content(file), got, FileTree.path(file));
      }
    }
  }
}
