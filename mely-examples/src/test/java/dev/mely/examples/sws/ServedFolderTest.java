package dev.mely.examples.sws;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.examples.Descriptors;
import dev.mely.examples.Programs;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemLoopException;
import java.nio.file.Files;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Swaps in the moment between the look at a name and its open. */
@EnabledOnOs(OS.LINUX)
class ServedFolderTest {
  private static final String SECRET = "foreign";

  @TempDir Path temporary;
  private Path root;
  private Path outside;

  @BeforeEach
  void write() throws IOException {
    root = Files.createDirectories(temporary.resolve("root").resolve("a")).getParent();
    outside = Files.createDirectories(temporary.resolve("outside"));
    Files.writeString(root.resolve("a/c.txt"), "fine");
    Files.writeString(root.resolve("c.txt"), "fine");
    Files.writeString(outside.resolve("c.txt"), SECRET);
  }

  private interface Change {
    void run() throws IOException;
  }

  private static final Change NOTHING = () -> {};

  /** The folder, in which something happens just before and after the first call of a method. */
  private ServedFolder with(String method, Change before, Change after) throws IOException {
    return with(1, method, before, after);
  }

  /** The folder, in which something happens just before and after the first calls of a method. */
  @SuppressWarnings("unchecked") // a proxy of the only class it can be of
  private ServedFolder with(int times, String method, Change before, Change after)
      throws IOException {
    AtomicInteger calls = new AtomicInteger();
    SecureDirectoryStream<Path> real =
        (SecureDirectoryStream<Path>) Files.newDirectoryStream(root.toRealPath());
    return new ServedFolder(
        root.toRealPath(),
        (SecureDirectoryStream<Path>)
            Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {SecureDirectoryStream.class},
                (proxy, called, arguments) -> {
                  boolean now = called.getName().equals(method) && calls.getAndIncrement() < times;
                  if (now) {
                    before.run();
                  }
                  try {
                    return called.invoke(real, arguments);
                  } catch (InvocationTargetException e) {
                    throw e.getCause();
                  } finally {
                    if (now) {
                      after.run();
                    }
                  }
                }));
  }

  private void replaceByLink(String name, Path target) throws IOException {
    Files.move(root.resolve(name), temporary.resolve("moved"));
    Files.createSymbolicLink(root.resolve(name), target);
  }

  @Test
  void aDirectoryThatBecomesALink() throws IOException {
    try (ServedFolder folder =
        with("newDirectoryStream", () -> replaceByLink("a", outside), NOTHING)) {
      assertThrows(IOException.class, () -> folder.walk(List.of("a", "c.txt")));
    }
  }

  @Test
  void aDirectoryThatIsALinkForAMoment() throws Exception {
    Path link = Files.createSymbolicLink(temporary.resolve("link"), outside);
    try (ServedFolder folder = withDirectoryReplacedBy(1, link)) {
      isFine((ServedFolder.OpenFile) folder.walk(List.of("a", "c.txt")));
    }
  }

  @Test
  void aDirectoryThatIsALinkAtEachOpen() throws Exception {
    Path link = Files.createSymbolicLink(temporary.resolve("link"), outside);
    try (ServedFolder folder = withDirectoryReplacedBy(Integer.MAX_VALUE, link)) {
      Refusal refusal = assertThrows(Refusal.class, () -> folder.walk(List.of("a", "c.txt")));
      assertEquals(Status.SERVICE_UNAVAILABLE, refusal.status());
      assertEquals(List.of(root.toRealPath()), openBelow(temporary));
    }
  }

  @Test
  void aDirectoryThatIsAFileForAMoment() throws Exception {
    Path file = Files.writeString(temporary.resolve("file"), SECRET);
    try (ServedFolder folder = withDirectoryReplacedBy(1, file)) {
      assertThrows(NotDirectoryException.class, () -> folder.walk(List.of("a", "c.txt")));
      assertEquals(List.of(root.toRealPath()), openBelow(temporary));
    }
  }

  /** Its open would wait for a writer, which comes if this fails. */
  @Test
  void aDirectoryThatIsAPipeForAMoment() throws Exception {
    Path pipe = temporary.resolve("pipe");
    assertTrue(Programs.run("mkfifo", pipe.toString()));
    try (ServedFolder folder = withDirectoryReplacedBy(1, pipe)) {
      CompletableFuture<Throwable> failure =
          CompletableFuture.supplyAsync(
              () -> assertThrows(IOException.class, () -> folder.walk(List.of("a", "c.txt"))));
      try {
        assertInstanceOf(NotDirectoryException.class, failure.get(2, TimeUnit.MINUTES));
      } catch (TimeoutException waits) {
        new RandomAccessFile(root.resolve("a").toFile(), "rw").close();
        throw waits;
      }
      assertEquals(List.of(root.toRealPath()), openBelow(temporary));
    }
  }

  /** The folder, in which a directory is something else while it is opened. */
  private ServedFolder withDirectoryReplacedBy(int times, Path other) throws IOException {
    Path directory = root.resolve("a");
    Path moved = temporary.resolve("moved");
    return with(
        times,
        "newDirectoryStream",
        () -> {
          Files.move(directory, moved);
          Files.move(other, directory);
        },
        () -> {
          Files.move(directory, other);
          Files.move(moved, directory);
        });
  }

  /** What this process has open below a folder, each once. */
  private static List<Path> openBelow(Path folder) throws IOException {
    Path real = folder.toRealPath();
    return Descriptors.open().stream().filter(p -> p.startsWith(real)).distinct().sorted().toList();
  }

  @Test
  void aFileThatBecomesALink() throws IOException {
    try (ServedFolder folder = with("newByteChannel", this::replaceByForeignLink, NOTHING)) {
      assertThrows(FileSystemLoopException.class, () -> folder.walk(List.of("c.txt")));
    }
  }

  /** The open fails then with an exception that says no more than that something went wrong. */
  @Test
  void aFileThatBecomesALinkIsRefusedAsALink() throws IOException {
    try (ServedFolder folder = with("newByteChannel", this::replaceByForeignLink, NOTHING)) {
      Refusal refusal = assertThrows(Refusal.class, () -> folder.open(List.of("c.txt")));
      assertEquals(Status.FORBIDDEN, refusal.status());
    }
  }

  @Test
  void aFileThatBecomesALinkWithinTheFolderIsFollowed() throws Exception {
    Change within = () -> replaceByLink("c.txt", root.resolve("a/c.txt"));
    try (ServedFolder folder = with("newByteChannel", within, NOTHING)) {
      isFine((ServedFolder.OpenFile) folder.open(List.of("c.txt")));
    }
  }

  /** Where looking again after the open would find nothing wrong. */
  @Test
  void aFileThatIsALinkForAMoment() throws Exception {
    try (ServedFolder folder = with("newByteChannel", this::replaceByForeignLink, this::putBack)) {
      isFine((ServedFolder.OpenFile) folder.walk(List.of("c.txt")));
    }
  }

  @Test
  void aFileThatIsALinkAtEachOpen() throws IOException {
    try (ServedFolder folder =
        with(Integer.MAX_VALUE, "newByteChannel", this::replaceByForeignLink, this::putBack)) {
      Refusal refusal = assertThrows(Refusal.class, () -> folder.walk(List.of("c.txt")));
      assertEquals(Status.SERVICE_UNAVAILABLE, refusal.status());
    }
  }

  /** What is open then is the pipe, which has no bytes; the file, which is back, has some. */
  @Test
  void aFileThatIsAPipeForAMoment() throws Exception {
    Path pipe = temporary.resolve("pipe");
    assertTrue(Programs.run("mkfifo", pipe.toString()));
    // With a writer, so that the open does not wait for one.
    try (RandomAccessFile writer = new RandomAccessFile(pipe.toFile(), "rw");
        ServedFolder folder =
            with("newByteChannel", () -> replaceForAMoment(pipe), this::putBack)) {
      writer.write(SECRET.getBytes(StandardCharsets.US_ASCII));
      isFine((ServedFolder.OpenFile) folder.walk(List.of("c.txt")));
    }
  }

  @Test
  void aFileThatIsADirectoryForAMoment() throws Exception {
    Path directory = Files.createDirectory(temporary.resolve("directory"));
    Change after =
        () -> {
          Files.move(root.resolve("c.txt"), directory);
          putBack();
        };
    try (ServedFolder folder = with("newByteChannel", () -> replaceForAMoment(directory), after)) {
      isFine((ServedFolder.OpenFile) folder.walk(List.of("c.txt")));
    }
  }

  /** What is open then is the other file, with the time of the first, which is back. */
  @Test
  void aFileThatIsAnotherForAMoment() throws Exception {
    try (ServedFolder folder =
        with(
            "newByteChannel",
            () -> replaceForAMoment(Files.writeString(temporary.resolve("next"), "another")),
            this::putBack)) {
      isFine((ServedFolder.OpenFile) folder.walk(List.of("c.txt")));
    }
  }

  /**
   * As when the first is deleted, and a third file gets its inode and its name: what is open is the
   * second, and only the time tells the third from the first.
   */
  @Test
  void aFileWhoseInodeIsUsedAgain() throws Exception {
    Path file = root.resolve("c.txt");
    Files.writeString(file, "old!");
    Files.setLastModifiedTime(file, FileTime.fromMillis(1_000));
    Change again =
        () -> {
          putBack();
          Files.writeString(file, "fine");
          Files.setLastModifiedTime(file, FileTime.fromMillis(2_000));
        };
    try (ServedFolder folder =
        with(
            "newByteChannel",
            () -> replaceForAMoment(Files.writeString(temporary.resolve("next"), "next")),
            again)) {
      isFine((ServedFolder.OpenFile) folder.walk(List.of("c.txt")));
    }
  }

  private void replaceByForeignLink() throws IOException {
    replaceByLink("c.txt", outside.resolve("c.txt"));
  }

  private void replaceForAMoment(Path other) throws IOException {
    Files.move(root.resolve("c.txt"), temporary.resolve("moved"));
    Files.move(other, root.resolve("c.txt"));
  }

  private void putBack() throws IOException {
    Files.move(temporary.resolve("moved"), root.resolve("c.txt"), StandardCopyOption.ATOMIC_MOVE);
  }

  private static void isFine(ServedFolder.OpenFile opened) throws IOException {
    try (ServedFolder.OpenFile open = opened) {
      assertEquals("fine".length(), open.info().size());
      ByteBuffer content = ByteBuffer.allocate(100);
      assertEquals("fine".length(), open.channel().read(content));
      assertEquals("fine", new String(content.array(), 0, 4, StandardCharsets.US_ASCII));
    }
  }

  @Test
  void aFileThatIsReplacedBeforeItIsOpened() throws Exception {
    describesWhatIsOpen(with("newByteChannel", this::replaceByAnother, NOTHING));
  }

  @Test
  void aFileThatIsReplacedAfterItWasOpened() throws Exception {
    describesWhatIsOpen(with("newByteChannel", NOTHING, this::replaceByAnother));
  }

  private void replaceByAnother() throws IOException {
    Path next = Files.writeString(temporary.resolve("next"), "another");
    Files.move(next, root.resolve("c.txt"), StandardCopyOption.ATOMIC_MOVE);
  }

  private void describesWhatIsOpen(ServedFolder changing) throws Exception {
    try (ServedFolder folder = changing;
        ServedFolder.OpenFile open = (ServedFolder.OpenFile) folder.walk(List.of("c.txt"))) {
      byte[] content = new byte["another".length()];
      assertEquals(content.length, open.channel().read(ByteBuffer.wrap(content)));
      assertArrayEquals("another".getBytes(StandardCharsets.US_ASCII), content);
      assertTrue(
          open.info()
              .isStill(Files.readAttributes(root.resolve("c.txt"), BasicFileAttributes.class)));
    }
  }

  @Test
  void aFolderThatIsMovedIsServedOn() throws Exception {
    try (ServedFolder folder = with("none", NOTHING, NOTHING)) {
      Files.move(root, temporary.resolve("elsewhere"));
      Files.createSymbolicLink(root, outside);
      try (ServedFolder.OpenFile open = (ServedFolder.OpenFile) folder.walk(List.of("c.txt"))) {
        assertEquals(4, open.info().size());
      }
    }
  }
}
