package dev.mely.examples.sws;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SplittableRandom;

/**
 * The 720 files of the 2003 web server benchmark, with the sizes of SPECweb99: 20 directories of 4
 * classes of 9 files; file {@code n} of class {@code c} has {@code n * 0.1 * 10^c} KB. Every file
 * has bytes of its own, the same in each run.
 */
final class Web03Tree {
  static final int DIRECTORIES = 20;
  static final int CLASSES = 4;
  static final int FILES = 9;

  private static final int[] UNIT = {102, 1_024, 10_240, 102_400};

  private Web03Tree() {}

  /** Visits one file. */
  interface Visitor {
    void visit(String path, byte[] content) throws Exception;
  }

  static void write(Path root) throws IOException {
    for (int d = 0; d < DIRECTORIES; d++) {
      Files.createDirectories(root.resolve(directory(d)));
    }
    try {
      forEach((path, content) -> Files.write(root.resolve(path), content));
    } catch (IOException | RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  static void forEach(Visitor visitor) throws Exception {
    for (int d = 0; d < DIRECTORIES; d++) {
      for (int c = 0; c < CLASSES; c++) {
        for (int f = 1; f <= FILES; f++) {
          visitor.visit(path(d, c, f), content(d, c, f));
        }
      }
    }
  }

  static String path(int directory, int fileClass, int file) {
    return directory(directory) + "/class" + fileClass + "_" + file;
  }

  static byte[] content(int directory, int fileClass, int file) {
    byte[] bytes = new byte[UNIT[fileClass] * file];
    new SplittableRandom((directory * CLASSES + fileClass) * (FILES + 1L) + file).nextBytes(bytes);
    return bytes;
  }

  private static String directory(int directory) {
    return String.format("dir%05d", directory);
  }
}
