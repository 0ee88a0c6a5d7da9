package dev.mely.examples.sws;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.SplittableRandom;

/**
 * The 720 files of the 2003 web server benchmark, with the sizes of SPECweb99, for tests and
 * benchmarks: 20 directories of 4 classes of 9 files; file {@code n} of class {@code c} has {@code
 * n * 0.1 * 10^c} KB, 102 MB in all. Every file has bytes of its own, the same in each run.
 */
public final class Web03Tree {
  /** How many directories there are, from 0. */
  public static final int DIRECTORIES = 20;

  /** How many classes of files are in each directory, from 0. */
  public static final int CLASSES = 4;

  /** How many files of each class are in each directory, from 1. */
  public static final int FILES = 9;

  private static final int[] UNIT = {102, 1_024, 10_240, 102_400};

  private Web03Tree() {}

  /**
   * Visits one file.
   *
   * @param <E> what it throws
   */
  @FunctionalInterface
  public interface Visitor<E extends Exception> {
    /**
     * Takes the file.
     *
     * @param path below the root, without a slash before it
     * @param content all of it
     * @throws E as it likes
     */
    void visit(String path, byte[] content) throws E;
  }

  /**
   * Writes all files.
   *
   * @param root an existing directory
   * @throws IOException if it cannot be written to
   */
  public static void write(Path root) throws IOException {
    for (int d = 0; d < DIRECTORIES; d++) {
      Files.createDirectories(root.resolve(directory(d)));
    }
    forEach((path, content) -> Files.write(root.resolve(path), content));
  }

  /**
   * Makes all files, one after another.
   *
   * @param <E> what the visitor throws
   * @param visitor takes them
   * @throws E if the visitor does
   */
  public static <E extends Exception> void forEach(Visitor<E> visitor) throws E {
    for (int d = 0; d < DIRECTORIES; d++) {
      for (int c = 0; c < CLASSES; c++) {
        for (int f = 1; f <= FILES; f++) {
          visitor.visit(path(d, c, f), content(d, c, f));
        }
      }
    }
  }

  /**
   * Returns where a file is.
   *
   * @param directory from 0
   * @param fileClass from 0
   * @param file from 1
   * @return its path below the root, without a slash before it
   */
  public static String path(int directory, int fileClass, int file) {
    return directory(directory) + "/class" + fileClass + "_" + file;
  }

  /**
   * Returns how large a file is.
   *
   * @param fileClass from 0
   * @param file from 1
   * @return bytes
   */
  public static int size(int fileClass, int file) {
    return UNIT[fileClass] * file;
  }

  static byte[] content(int directory, int fileClass, int file) {
    byte[] bytes = new byte[size(fileClass, file)];
    new SplittableRandom((directory * CLASSES + fileClass) * (FILES + 1L) + file).nextBytes(bytes);
    return bytes;
  }

  private static String directory(int directory) {
    return String.format(Locale.ROOT, "dir%05d", directory);
  }
}
