package dev.mely.examples.sws;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.Color;
import dev.mely.examples.http.HttpClock;
import java.io.IOException;
import java.net.SocketException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An {@code Error} in a handler of the core build costs its connection, and nothing else. */
class CoreFailuresTest {
  @TempDir Path root;

  @BeforeEach
  void write() throws IOException {
    Files.writeString(root.resolve("f"), "fine");
  }

  /** One place: if it were kept, the second client would be turned away. */
  private SwsCoreServer start(Coloring coloring) throws IOException {
    return SwsCoreServer.start(
        Transports.config(root, Build.CORE)
            .maxClients(1)
            .prebuilt(100, 0)
            .idleTimeout(Duration.ofHours(1)),
        coloring);
  }

  private static void costsItsConnection(SwsCoreServer server) throws IOException {
    try (RawClient client = new RawClient(server)) {
      client.send(RawClient.get("/f"));
      try {
        assertTrue(client.isEnded(), "no answer can be had");
      } catch (SocketException reset) {
        // An end, too.
      }
    }
    await()
        .atMost(Duration.ofMinutes(2))
        .untilAsserted(() -> assertEquals(0, server.clients(), "the place is free"));
    try (RawClient client = new RawClient(server)) {
      assertEquals("fine", client.send(RawClient.get("/f")).read().text());
    }
  }

  /** Fails once. */
  private static FileStore failing(ServedFolder folder, Disk disk) throws IOException {
    AtomicBoolean failed = new AtomicBoolean();
    return new FileStore(
        folder, disk, new PrebuiltResponses(folder, 0, 0, disk.refreshes), 100, false) {
      @Override
      Found find(Request request, HttpClock now) {
        if (failed.compareAndSet(false, true)) {
          throw new OutOfMemoryError("planted");
        }
        return super.find(request, now);
      }
    };
  }

  @Test
  void inCheckInCache() throws Exception {
    try (SwsCoreServer server = start(Coloring.MELY);
        ServedFolder folder = ServedFolder.open(root)) {
      server.store = failing(folder, server.disk());
      costsItsConnection(server);
    }
  }

  /** In the color of the page cache, which is not the connection's. */
  @Test
  void inCheckPageCache() throws Exception {
    AtomicBoolean failed = new AtomicBoolean();
    try (SwsCoreServer server = start(Coloring.LIBASYNC)) {
      for (int part = 0; part < server.pageCaches.length; part++) {
        Color color = server.pageCaches[part].color();
        server.pageCaches[part] =
            new PageCache(color, 0) {
              @Override
              @Nullable PrebuiltResponse get(String path, HttpClock now) {
                if (failed.compareAndSet(false, true)) {
                  throw new OutOfMemoryError("planted");
                }
                return super.get(path, now);
              }
            };
      }
      costsItsConnection(server);
    }
  }
}
