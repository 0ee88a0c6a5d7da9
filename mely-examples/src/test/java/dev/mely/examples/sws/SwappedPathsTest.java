package dev.mely.examples.sws;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.mely.examples.Programs;
import dev.mely.examples.sws.RawClient.Response;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The served folder changes between check and open: no byte from outside is served, and no core
 * blocks.
 */
@ParameterizedClass
@MethodSource("dev.mely.examples.sws.Transports#finders")
class SwappedPathsTest {
  private static final String SECRET = "the secret";

  @Parameter Build build;

  @TempDir Path temporary;
  private Path root;
  private Path outside;
  private WebServer server;

  @BeforeEach
  void start() throws IOException {
    root = Files.createDirectories(temporary.resolve("root"));
    outside = Files.createDirectories(temporary.resolve("outside"));
    write(root.resolve("file.txt"), "fine");
    write(root.resolve("a/b/c.txt"), "fine");
    // What a link at any place of the path would find.
    write(outside.resolve("c.txt"), SECRET);
    write(outside.resolve("b/c.txt"), SECRET);
    write(outside.resolve("a/b/c.txt"), SECRET);
    write(outside.resolve("the-secret.txt"), SECRET);
    write(outside.resolve("index.html"), SECRET);
  }

  private static void write(Path file, String text) throws IOException {
    Files.createDirectories(file.getParent());
    Files.writeString(file, text);
  }

  private void serve(long prebuilt) throws IOException {
    server = build.start(Transports.config(root, build).prebuilt(100_000, prebuilt));
  }

  @AfterEach
  void theServerGoesOnAndEnds() throws Exception {
    assertEquals("fine", get("/file.txt").text());
    CompletableFuture.runAsync(server::close).get(120, TimeUnit.SECONDS);
  }

  private Response get(String target) throws IOException {
    try (RawClient client = new RawClient(server)) {
      return client.send(RawClient.get(target)).read();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"a", "a/b", "a/b/c.txt"})
  void aPartOfAPrebuiltFilesPathBecomesALink(String part) throws Exception {
    serve(100_000);
    assertEquals("fine", get("/a/b/c.txt").text());
    Path path = root.resolve(part);
    Files.move(path, temporary.resolve("moved"));
    Files.createSymbolicLink(path, outside.resolve(path.getFileName()));
    if (part.equals("a/b/c.txt")) {
      Files.delete(path);
      Files.createSymbolicLink(path, outside.resolve("c.txt"));
    }
    await().until(() -> get("/a/b/c.txt").status() == 403);
    // The refresh, too, has looked by now, or will have soon.
    for (int i = 0; i < 30; i++) {
      Response response = get("/a/b/c.txt");
      assertEquals(403, response.status(), response.text());
      Thread.sleep(10);
    }
  }

  @Test
  void aFileThatIsNowOutsideAndReachedByALinkIsNotServedFromMemory() throws Exception {
    serve(100_000);
    assertEquals("fine", get("/a/b/c.txt").text());
    // The same file, inode and all, but no longer in the folder.
    Files.move(root.resolve("a"), temporary.resolve("moved"));
    Files.createSymbolicLink(root.resolve("a"), temporary.resolve("moved"));
    await().until(() -> get("/a/b/c.txt").status() == 403);
  }

  /** Swaps as fast as possible, while as fast as possible is asked. */
  @ParameterizedTest
  @ValueSource(strings = {"a", "a/b", "a/b/c.txt"})
  void noSwapLetsAForeignFileIn(String part) throws Exception {
    serve(0);
    Path path = root.resolve(part);
    Path link = root.resolve("swap-link");
    Path real = root.resolve("swap-real");
    Files.createSymbolicLink(link, outside.resolve(part.equals("a/b/c.txt") ? "c.txt" : part));
    whileAsking(
        "/a/b/c.txt",
        () -> {
          Files.move(path, real, StandardCopyOption.ATOMIC_MOVE);
          Files.move(link, path, StandardCopyOption.ATOMIC_MOVE);
          Files.move(path, link, StandardCopyOption.ATOMIC_MOVE);
          Files.move(real, path, StandardCopyOption.ATOMIC_MOVE);
        },
        Duration.ofMillis(700));
  }

  @Test
  void noSwapLetsAForeignDirectoryBeListed() throws Exception {
    serve(0);
    Files.delete(outside.resolve("index.html"));
    Path path = root.resolve("a");
    Path link = root.resolve("swap-link");
    Path real = root.resolve("swap-real");
    Files.createSymbolicLink(link, outside);
    whileAsking(
        "/a/",
        () -> {
          Files.move(path, real, StandardCopyOption.ATOMIC_MOVE);
          Files.move(link, path, StandardCopyOption.ATOMIC_MOVE);
          Files.move(path, link, StandardCopyOption.ATOMIC_MOVE);
          Files.move(real, path, StandardCopyOption.ATOMIC_MOVE);
        },
        Duration.ofMillis(700));
  }

  @Test
  void aListingSaysNothingOfWhatALinkLeadsOutTo() throws Exception {
    serve(100_000);
    Files.createSymbolicLink(root.resolve("a/out"), outside.resolve("the-secret.txt"));
    Files.createSymbolicLink(root.resolve("a/in"), root.resolve("file.txt"));
    Files.createSymbolicLink(root.resolve("a/up"), root);
    String page = get("/a/").text();
    assertFalse(page.contains("\"./out\""), page);
    assertTrue(page.contains("\"./in\""), page);
    assertTrue(page.contains("\"./up/\""), page);
  }

  /** The open of a pipe would block until there is a writer, and there is none. */
  @ParameterizedTest
  @ValueSource(strings = {"a/b/c.txt", "a/b"})
  void aPipeStopsNoCore(String part) throws Exception {
    serve(0);
    Path pipe = root.resolve("pipe");
    assumeTrue(Programs.run("mkfifo", pipe.toString()), "mkfifo is not there");
    for (int i = 0; i < 5; i++) {
      assertEquals(403, get("/pipe").status());
      assertEquals(404, get("/pipe/x").status());
    }
    Path path = root.resolve(part);
    Path real = root.resolve("swap-real");
    whileAsking(
        "/a/b/c.txt",
        () -> {
          Files.move(path, real, StandardCopyOption.ATOMIC_MOVE);
          Files.move(pipe, path, StandardCopyOption.ATOMIC_MOVE);
          Files.move(path, pipe, StandardCopyOption.ATOMIC_MOVE);
          Files.move(real, path, StandardCopyOption.ATOMIC_MOVE);
        },
        Duration.ofMillis(1_500));
  }

  private interface Swap {
    void run() throws IOException;
  }

  /** Four clients ask for a target, each answer is looked at; another keeps asking for a file. */
  private void whileAsking(String target, Swap swap, Duration duration) throws Exception {
    AtomicBoolean end = new AtomicBoolean();
    List<AtomicInteger> answers = Stream.generate(AtomicInteger::new).limit(5).toList();
    List<CompletableFuture<Void>> clients = new ArrayList<>();
    // The common pool may have a single thread, and the clients would come one after the other.
    Executor each = task -> new Thread(task, "client").start();
    for (int i = 0; i < 5; i++) {
      AtomicInteger own = answers.get(i);
      String wanted = i == 0 ? "/file.txt" : target;
      clients.add(
          CompletableFuture.runAsync(
              () -> {
                try (RawClient client = new RawClient(server)) {
                  while (!end.get()) {
                    Response response = client.send(RawClient.get(wanted)).read();
                    own.incrementAndGet();
                    assertFalse(response.text().contains(SECRET), "a foreign file");
                    assertFalse(response.text().contains("the-secret"), "a foreign directory");
                    // Nothing is wrong with the server: the file is there, or it is not.
                    assertTrue(
                        Set.of(200, 403, 404, 503).contains(response.status()), response.text());
                    boolean file = wanted.endsWith(".txt");
                    assertTrue(
                        response.text().equals("fine") || !file || response.status() != 200,
                        response.text());
                    assertTrue(
                        response.text().equals("fine") || !wanted.equals("/file.txt"),
                        response.text());
                  }
                } catch (IOException e) {
                  throw new AssertionError(e);
                }
              },
              each));
    }
    // For so long, and on a machine that is busy until there was enough of both.
    long start = System.nanoTime();
    try {
      for (int swaps = 0;
          System.nanoTime() - start < duration.toNanos()
              || swaps < 100
              || answers.stream().anyMatch(own -> own.get() < 10);
          swaps++) {
        swap.run();
        if (clients.stream().anyMatch(CompletableFuture::isDone)) {
          break; // it has failed, and says why below
        }
      }
    } finally {
      end.set(true);
    }
    for (CompletableFuture<Void> client : clients) {
      client.get(120, TimeUnit.SECONDS);
    }
  }
}
