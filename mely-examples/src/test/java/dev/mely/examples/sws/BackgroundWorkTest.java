package dev.mely.examples.sws;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.examples.http.HttpClock;
import dev.mely.examples.sws.RawClient.Response;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Work outside of the event loops keeps up with clients that request much and leave. */
class BackgroundWorkTest {
  @TempDir Path root;

  private SwsServer start(long prebuilt) throws IOException {
    return SwsServer.start(Transports.config(root, Build.NIO).prebuilt(100_000, prebuilt));
  }

  private void fill(String directory, int files) throws IOException {
    Path path = Files.createDirectories(root.resolve(directory));
    for (int i = 0; i < files; i++) {
      Files.createFile(path.resolve("a-name-of-some-length-" + i));
    }
  }

  /** Rendered on one thread, all of them took 45 seconds where this was first seen. */
  @Test
  void abandonedListingsHoldNobodyUp() throws Exception {
    fill("large", 9_000);
    fill("small", 1);
    try (SwsServer server = start(0)) {
      for (int i = 0; i < 400; i++) {
        RawClient client = new RawClient(server).send(RawClient.get("/large/"));
        client.reset();
      }
      try (RawClient client = new RawClient(server)) {
        Response response = client.send(RawClient.get("/small/")).read();
        // Others may still be in the queue: then it says so, at once.
        for (int i = 0; response.status() == 503 && i < 1_000; i++) {
          assertTrue(response.has("Retry-After"));
          Thread.sleep(10);
          response = client.send(RawClient.get("/small/")).read();
        }
        assertEquals(200, response.status());
        assertTrue(response.text().contains("a-name-of-some-length-0"));
      }
    }
  }

  @Test
  void moreListingsThanCanBeRenderedAreRefused() throws Exception {
    fill("large", 200);
    CountDownLatch taken = new CountDownLatch(Disk.LISTING_THREADS);
    CountDownLatch free = new CountDownLatch(1);
    Blocked blocked = new Blocked(taken, free);
    try (SwsServer server = start(0);
        RawClient client = new RawClient(server)) {
      DiskThreads listings = server.disk().listings;
      int waiting = fill(listings, blocked);
      assertTrue(taken.await(1, TimeUnit.MINUTES));
      waiting += fill(listings, blocked); // in the places of those that run now
      assertTrue(waiting > 200, waiting + " listings may wait");
      Response refused = client.send(RawClient.get("/large/")).read();
      free.countDown();
      assertEquals(503, refused.status());
      assertTrue(refused.has("Retry-After"));
      await()
          .untilAsserted(
              () -> assertEquals(200, client.send(RawClient.get("/large/")).read().status()));
    } finally {
      free.countDown();
    }
  }

  /** Returns how many could still wait. */
  private static int fill(DiskThreads threads, DiskThreads.Job job) {
    for (int n = 0; ; n++) {
      try {
        threads.execute(job);
      } catch (RejectedExecutionException full) {
        return n;
      }
    }
  }

  /** Takes a thread until it is let go. */
  private record Blocked(CountDownLatch taken, CountDownLatch free) implements DiskThreads.Job {
    @Override
    public void run() {
      taken.countDown();
      try {
        free.await();
      } catch (InterruptedException stopped) {
        Thread.currentThread().interrupt();
      }
    }

    @Override
    public void overdue(boolean failed) {}
  }

  /** Copying the whole map for each file, this took minutes. */
  @Test
  void manyChangedFilesAreReadAgainInPassing() throws IOException {
    int files = 8_000;
    for (int i = 0; i < files; i++) {
      Files.write(root.resolve("file" + i), new byte[100]);
    }
    try (SwsServer server = start(10_000_000);
        RawClient client = new RawClient(server)) {
      assertTrue(server.description().contains("(0.8 MiB)"), server.description());
      for (int i = 0; i < files; i++) {
        Files.write(root.resolve("file" + i), new byte[200]);
      }
      long now = HttpClock.now().second();
      while (HttpClock.now().second() == now) {
        Thread.onSpinWait();
      }
      for (int from = 0; from < files; from += 100) {
        StringBuilder requests = new StringBuilder();
        for (int i = from; i < from + 100; i++) {
          requests.append(RawClient.get("/file" + i));
        }
        client.send(requests.toString());
        for (int i = 0; i < 100; i++) {
          assertEquals(200, client.read().body().length);
        }
      }
      await()
          .untilAsserted(
              () -> assertTrue(server.description().contains("(1.5 MiB)"), server.description()));
    }
  }
}
