package dev.mely.examples.sws.hostile;

import dev.mely.examples.Programs;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.SplittableRandom;

/**
 * The folder that is served while it is attacked: some files that stay, some that keep changing,
 * and a secret beside the folder.
 */
final class Site {
  /** In each file and name that must not be served. */
  static final String SECRET = "FOREIGN";

  /** Served when one request hides in another. */
  static final String CANARY = "SMUGGLED";

  static final String CANARY_TARGET = "/canary.txt";

  /** What is changed all the time; below it {@code a/b/c.txt}. */
  private static final String CHANGING = "changing";

  static final String CHANGING_FILE = "/changing/a/b/c.txt";

  /** What may be asked for while it is changed. */
  static final List<String> CHANGING_TARGETS =
      List.of(
          CHANGING_FILE,
          CHANGING_FILE,
          CHANGING_FILE,
          "/changing/a/b/",
          "/changing/a/",
          "/changing/",
          "/changing/a",
          "/changing/a/b",
          "/changing/pipe",
          "/changing/link");

  /** The parts of that file's path, from the top. */
  private static final List<String> PARTS =
      List.of("changing", "changing/a", "changing/a/b", "changing/a/b/c.txt");

  /** Some in memory, some beyond what a server would keep there. */
  private static final int[] SIZES = {0, 1, 500, 5_000, 70_000, 300_000, 3_000_000};

  private final Path root;
  private final Path outside;
  private final Path swap;

  private int version;

  Site(Path folder) {
    root = folder.resolve("root");
    outside = folder.resolve("outside");
    swap = folder.resolve("swap");
  }

  /** What the server is to serve. */
  Path root() {
    return root;
  }

  /** Writes all files. */
  void write() throws IOException, InterruptedException {
    for (Path directory : List.of(outside, swap)) {
      Files.createDirectories(directory);
    }
    for (int i = 0; i < SIZES.length; i++) {
      Path file = root.resolve(target(i).substring(1));
      Files.createDirectories(file.getParent());
      Files.write(file, content(i));
    }
    Files.writeString(root.resolve(CANARY_TARGET.substring(1)), CANARY);
    Files.createDirectories(root.resolve("many"));
    for (int i = 0; i < 500; i++) {
      Files.createFile(root.resolve("many/one-of-a-great-many-" + i));
    }
    Files.createDirectories(root.resolve("changing/a/b"));
    nextVersion();
    for (String directory : List.of("a/b", "b", ".")) {
      Path foreign = Files.createDirectories(outside.resolve(directory));
      Files.writeString(foreign.resolve("c.txt"), SECRET);
      Files.writeString(foreign.resolve(SECRET), SECRET);
    }
    Files.createSymbolicLink(root.resolve("changing/link"), outside.resolve("c.txt"));
    mkfifo(root.resolve("changing/pipe"));
    mkfifo(swap.resolve("pipe"));
  }

  private static void mkfifo(Path pipe) throws IOException, InterruptedException {
    if (!Programs.run("mkfifo", pipe.toString())) {
      throw new IOException("no pipe at " + pipe);
    }
  }

  /** How many files stay as they are. */
  static int files() {
    return SIZES.length;
  }

  static String target(int file) {
    return "/still/dir" + file % 3 + "/file" + file;
  }

  /** What a file that stays has in it. */
  static byte[] content(int file) {
    byte[] bytes = new byte[SIZES[file]];
    new SplittableRandom(file).nextBytes(bytes);
    return bytes;
  }

  /** Whether a text is one whole version of the file that changes. */
  static boolean isSomeVersion(String text) {
    int end = text.indexOf('\n') + 1;
    return end > 0 && text.equals(text.substring(0, end).repeat(lines(text.substring(0, end))));
  }

  private static int lines(String line) {
    return 1 + 977 * (Integer.parseInt(line.strip()) % 5);
  }

  /** Puts another version in the place of the last one, at once. */
  private void nextVersion() throws IOException {
    String line = ++version + "\n";
    Path next = swap.resolve("next");
    Files.writeString(next, line.repeat(lines(line)), StandardCharsets.US_ASCII);
    Files.move(next, root.resolve("changing/a/b/c.txt"), StandardCopyOption.ATOMIC_MOVE);
  }

  /** Changes the folder for a moment, and back. One thread. */
  void vandalize(SplittableRandom random) throws IOException {
    int kind = random.nextInt(5);
    if (kind == 0) {
      nextVersion();
      return;
    }
    int part = random.nextInt(PARTS.size());
    Path path = root.resolve(PARTS.get(part));
    Path instead = swap.resolve("instead");
    Path real = swap.resolve("real");
    Path pipe = swap.resolve("pipe");
    if (kind == 1 || kind == 2) {
      Path foreign =
          List.of(outside, outside.resolve("a"), outside.resolve("b"), outside.resolve("c.txt"))
              .get(part);
      Files.createSymbolicLink(instead, foreign);
    }
    for (int times = random.nextInt(1, 60); times > 0; times--) {
      Files.move(path, real, StandardCopyOption.ATOMIC_MOVE);
      switch (kind) {
        case 1, 2 -> {
          Files.move(instead, path, StandardCopyOption.ATOMIC_MOVE);
          Files.move(path, instead, StandardCopyOption.ATOMIC_MOVE);
        }
        case 3 -> {
          Files.move(pipe, path, StandardCopyOption.ATOMIC_MOVE);
          Files.move(path, pipe, StandardCopyOption.ATOMIC_MOVE);
        }
        default -> {} // it is gone for a moment
      }
      Files.move(real, path, StandardCopyOption.ATOMIC_MOVE);
    }
    if (kind == 1 || kind == 2) {
      Files.delete(instead);
    }
    if (kind == 3) {
      freePipe();
    }
  }

  /**
   * The threads that wait in the open of the pipe return: a lost thread would end the test. One
   * that had found the pipe, but not begun to wait, may be late for one call.
   */
  void freePipe() throws IOException {
    new RandomAccessFile(swap.resolve("pipe").toFile(), "rw").close();
  }
}
