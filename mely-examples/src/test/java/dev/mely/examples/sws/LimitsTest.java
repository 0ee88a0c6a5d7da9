package dev.mely.examples.sws;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.examples.Descriptors;
import dev.mely.examples.sws.RawClient.Response;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.SocketTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Too many clients, clients that stop in the middle, slow readers, and the server's own end. */
@ParameterizedClass
@MethodSource("dev.mely.examples.sws.Transports#ends")
class LimitsTest {
  private static final Duration SHORT = Duration.ofMillis(200);

  /** More than what the sockets of both sides hold. */
  private static final int LARGE = 24 * 1024 * 1024;

  @Parameter Build build;

  @TempDir static Path root;
  private static Path largeFile;
  private static byte[] large;
  private WebServer server;

  @BeforeAll
  static void writeFiles() throws IOException {
    Files.writeString(root.resolve("file.txt"), "fine");
    large = new byte[LARGE];
    new SplittableRandom(7).nextBytes(large);
    largeFile = Files.write(root.resolve("large.bin"), large).toRealPath();
  }

  private SwsConfig config() {
    return Transports.config(root, build);
  }

  private void start(SwsConfig config) throws IOException {
    server = build.start(config);
  }

  @AfterEach
  void theServerGoesOnAndKeepsNoFileOpen() throws IOException {
    try (WebServer closing = server) {
      inTime(
          () -> {
            try (RawClient client = new RawClient(closing)) {
              if (closing.isOpen()) {
                assertEquals("fine", client.send(RawClient.get("/file.txt")).read().text());
              }
            } catch (IOException refused) {
              assertFalse(closing.isOpen(), refused.toString());
            }
          });
      await().untilAsserted(() -> assertEquals(0, openLargeFiles()));
    }
  }

  private interface Exchange {
    void run() throws IOException;
  }

  /**
   * A machine that is busy may hold a client up for longer than {@link #SHORT}, and rightly it is
   * not served: it tries again, as clients do.
   */
  private static void inTime(Exchange exchange) throws IOException {
    for (int left = 10; ; left--) {
      try {
        exchange.run();
        return;
      } catch (SocketTimeoutException never) {
        throw never;
      } catch (IOException | AssertionError late) {
        if (left == 0) {
          throw late;
        }
      }
    }
  }

  /** How often this process has the large file open; 0 where that cannot be told. */
  private int openLargeFiles() throws IOException {
    return Collections.frequency(Descriptors.open(), largeFile);
  }

  @Test
  void clientsBeyondTheCapGet503() throws IOException {
    start(config().maxClients(2));
    try (RawClient first = new RawClient(server)) {
      assertEquals("fine", first.send(RawClient.get("/file.txt")).read().text());
      try (RawClient second = new RawClient(server)) {
        assertEquals("fine", second.send(RawClient.get("/file.txt")).read().text());
        for (int i = 0; i < 5; i++) {
          try (RawClient third = new RawClient(server)) {
            Response response = third.send(RawClient.get("/file.txt")).read();
            assertEquals(503, response.status());
            assertEquals("close", response.header("Connection"));
            assertTrue(response.has("Retry-After"));
            assertTrue(third.isEnded());
          }
        }
        assertEquals("fine", second.send(RawClient.get("/file.txt")).read().text());
      }
    }
    assertEquals(5, server.refused());
    // The places of those who have left are free again.
    await()
        .untilAsserted(
            () -> {
              try (RawClient next = new RawClient(server)) {
                assertEquals(200, next.send(RawClient.get("/file.txt")).read().status());
              }
            });
  }

  @Test
  void aHalfSentRequestTimesOut() throws IOException {
    start(config().idleTimeout(SHORT));
    for (String half : List.of("GET /fi", "GET / HTTP/1.1\r\n", "GET / HTTP/1.1\r\nHost: x\r\n")) {
      inTime(
          () -> {
            try (RawClient client = new RawClient(server)) {
              Response response = client.send(half).read();
              assertEquals(408, response.status(), half);
              assertEquals("close", response.header("Connection"));
              assertTrue(client.isEnded());
            }
          });
    }
  }

  @Test
  void aRequestThatTricklesInTimesOut() throws IOException {
    start(config().idleTimeout(SHORT));
    inTime(this::trickle);
  }

  private void trickle() throws IOException {
    try (RawClient client = new RawClient(server)) {
      assertEquals("fine", client.send(RawClient.get("/file.txt")).read().text());
      CompletableFuture<Response> answer =
          CompletableFuture.supplyAsync(
              () -> {
                try {
                  return client.read();
                } catch (IOException e) {
                  throw new UncheckedIOException(e);
                }
              });
      client.send("GET /file.txt HTTP/1.1\r\n");
      try {
        for (int i = 0; !answer.isDone() && i < 10_000; i++) {
          client.send("A: b\r\n");
          LockSupport.parkNanos(20_000_000);
        }
      } catch (IOException ended) {
        // The server does not read any more, and the answer says why.
      }
      assertEquals(408, answer.handle((response, e) -> e == null ? response.status() : 0).join());
    }
  }

  @Test
  void aConnectionWithoutRequestsEnds() throws IOException {
    start(config().idleTimeout(SHORT));
    inTime(
        () -> {
          try (RawClient never = new RawClient(server);
              RawClient once = new RawClient(server)) {
            assertEquals("fine", once.send(RawClient.get("/file.txt")).read().text());
            assertTrue(never.isEnded());
            assertTrue(once.isEnded());
          }
        });
  }

  /** The client may still be sending when it gets its last answer, but not forever. */
  @Test
  void aClientThatStaysAfterItsLastAnswerIsCutOff() throws IOException {
    start(config().idleTimeout(Duration.ofHours(1)));
    try (RawClient client = new RawClient(server)) {
      assertEquals(400, client.send("nonsense\r\n\r\n").read().status());
      assertTrue(client.isEnded());
      await().untilAsserted(() -> assertEquals(0, server.clients()));
    }
  }

  @Test
  void aReaderThatStopsIsCutOff() throws IOException {
    start(config().idleTimeout(SHORT));
    inTime(
        () -> {
          try (RawClient client = new RawClient(server, 4_096)) {
            client.send(RawClient.get("/large.bin"));
            assertEquals('H', client.bytes(1)[0]);
            await().untilAsserted(() -> assertEquals(0, server.clients()));
          }
        });
  }

  @Test
  void aSlowReaderOfManyRequestsHoldsOneFile() throws IOException {
    start(config());
    int requests = 200;
    try (RawClient client = new RawClient(server, 4_096)) {
      client.send(RawClient.get("/large.bin").repeat(requests));
      client.bytes(10_000);
      assertTrue(openLargeFiles() <= 1, "files open: " + openLargeFiles());
    }
  }

  @Test
  void aSlowReaderGetsEverythingInOrder() throws Exception {
    start(config());
    StringBuilder requests = new StringBuilder();
    int count = 2_000;
    byte[] medium = new byte[20_000];
    new SplittableRandom(8).nextBytes(medium);
    Files.write(root.resolve("medium.bin"), medium);
    for (int i = 0; i < count; i++) {
      requests.append(RawClient.get(i % 100 == 7 ? "/medium.bin" : "/file.txt?" + i));
    }
    requests.append(RawClient.get("/large.bin")).append(RawClient.get("/file.txt"));
    try (RawClient client = new RawClient(server, 4_096)) {
      // From a second thread: the server stops reading while it waits for us to read.
      CompletableFuture<Void> sent =
          CompletableFuture.runAsync(
              () -> {
                try {
                  client.send(requests.toString());
                } catch (IOException e) {
                  throw new AssertionError(e);
                }
              });
      client.widen();
      for (int i = 0; i < count; i++) {
        Response response = client.read();
        assertEquals(200, response.status());
        assertEquals(i % 100 == 7 ? medium.length : 4, response.body().length);
      }
      assertArrayEquals(large, client.read().body());
      assertEquals("fine", client.read().text());
      sent.get(120, TimeUnit.SECONDS);
    }
  }

  @Test
  void aClientThatHasEndedItsOutputGetsAllAnswers() throws IOException {
    start(config());
    byte[] medium = new byte[3_000_000];
    new SplittableRandom(9).nextBytes(medium);
    Files.write(root.resolve("three.bin"), medium);
    String twice = RawClient.get("/three.bin").repeat(2);
    for (int i = 0; i < 30; i++) {
      try (RawClient client = new RawClient(server)) {
        client.send(twice + RawClient.get("/file.txt") + twice + RawClient.get("/file.txt"));
        client.endOutput();
        for (int half = 0; half < 2; half++) {
          assertArrayEquals(medium, client.read().body());
          assertArrayEquals(medium, client.read().body());
          assertEquals("fine", client.read().text());
        }
        assertTrue(client.isEnded());
      }
    }
  }

  @Test
  void abortedDownloadsCloseTheirFiles() throws IOException {
    start(config());
    for (int i = 0; i < 30; i++) {
      RawClient client = new RawClient(server, 4_096);
      client.send(RawClient.get("/large.bin"));
      client.bytes(100 * i + 1);
      if (i % 2 == 0) {
        client.reset();
      } else {
        client.close();
      }
    }
    await().untilAsserted(() -> assertEquals(0, server.clients()));
  }

  @Test
  void answersWithoutTheFileCloseItToo() throws IOException {
    start(config());
    try (RawClient client = new RawClient(server)) {
      String target = "/large.bin";
      for (int i = 0; i < 20; i++) {
        assertEquals(200, client.send(RawClient.request("HEAD", target)).readHead().status());
        Response outside = client.send(RawClient.get(target, "Range: bytes=" + LARGE + "-")).read();
        assertEquals(416, outside.status());
        assertEquals(304, client.send(RawClient.get(target, "If-None-Match: *")).read().status());
      }
    }
  }

  @Test
  void aFileThatShrinksWhileItIsSent() throws IOException {
    start(config());
    try (RawClient client = new RawClient(server, 4_096)) {
      Path shrinking = Files.write(root.resolve("shrinking-" + build), large);
      client.send(RawClient.get("/shrinking-" + build));
      client.bytes(1_000);
      Files.write(shrinking, new byte[10], StandardOpenOption.TRUNCATE_EXISTING);
      // What was promised cannot be sent: the connection must end before the full length.
      assertThrows(Throwable.class, () -> client.bytes(LARGE), "the response cannot be complete");
    }
  }

  @Test
  void closingTheServerLetsAResponseFinish() throws Exception {
    start(config().drainTimeout(Duration.ofSeconds(60)));
    try (RawClient busy = new RawClient(server, 4_096);
        RawClient idle = new RawClient(server);
        RawClient half = new RawClient(server)) {
      assertEquals("fine", idle.send(RawClient.get("/file.txt")).read().text());
      // In one piece, so that the server has read the half request when it answers the other.
      assertEquals("fine", half.send(RawClient.get("/file.txt") + "GET /file.t").read().text());
      busy.send(RawClient.get("/large.bin") + RawClient.get("/file.txt"));
      assertEquals('H', busy.bytes(1)[0]);
      CompletableFuture<Void> closed = CompletableFuture.runAsync(server::close);
      assertTrue(idle.isEnded());
      assertTrue(half.isEnded());
      await().until(() -> !server.isOpen());
      assertThrows(IOException.class, () -> new RawClient(server).close());
      assertEquals(false, closed.isDone(), "a response is still in flight");
      // The rest of the status line and of the response; the second request is not answered.
      busy.pushBack('H');
      assertArrayEquals(large, busy.widen().read().body());
      assertTrue(busy.isEnded());
      closed.get(120, TimeUnit.SECONDS);
    }
  }

  @Test
  void closingTheServerDoesNotWaitForEver() throws Exception {
    start(config().drainTimeout(SHORT));
    try (RawClient stuck = new RawClient(server, 4_096)) {
      stuck.send(RawClient.get("/large.bin"));
      assertEquals('H', stuck.bytes(1)[0]);
      CompletableFuture.runAsync(server::close).get(120, TimeUnit.SECONDS);
    }
    server.close(); // once more does no harm
  }

  @Test
  void manyConnectionsComeAndGo() throws IOException {
    start(config());
    for (int round = 0; round < 5; round++) {
      List<RawClient> clients = new ArrayList<>();
      for (int i = 0; i < 100; i++) {
        clients.add(new RawClient(server).send(RawClient.get("/file.txt")));
      }
      for (RawClient client : clients) {
        assertEquals("fine", client.read().text());
        client.close();
      }
    }
    await().untilAsserted(() -> assertEquals(0, server.clients()));
    assertEquals(500, server.served());
  }
}
