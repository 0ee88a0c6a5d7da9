package dev.mely.bench.server;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.SplittableRandom;

/**
 * The 720 files of the 2003 web server benchmark, with the sizes of SPECweb99: 20 directories of 4
 * classes of 9 files; file {@code n} of class {@code c} has {@code n * 0.1 * 10^c} KB, 102 MB in
 * all. Every file has bytes of its own, the same in each run.
 */
final class Web03Tree {
  /** How many directories there are, from 0. */
  static final int DIRECTORIES = 20;

  /** How many classes of files are in each directory, from 0. */
  static final int CLASSES = 4;

  /** How many files of each class are in each directory, from 1. */
  static final int FILES = 9;

  private static final int[] UNIT = {102, 1_024, 10_240, 102_400};

  private Web03Tree() {}

  /**
   * Writes all files.
   *
   * @param root an existing directory
   */
  static void write(Path root) throws IOException {
    for (int d = 0; d < DIRECTORIES; d++) {
      Files.createDirectories(root.resolve(directory(d)));
      for (int c = 0; c < CLASSES; c++) {
        for (int f = 1; f <= FILES; f++) {
          Files.write(root.resolve(path(d, c, f)), content(d, c, f));
        }
      }
    }
  }

  /**
   * Where a file is.
   *
   * @param directory from 0
   * @param fileClass from 0
   * @param file from 1
   * @return its path below the root, without a slash before it
   */
  static String path(int directory, int fileClass, int file) {
    return directory(directory) + "/class" + fileClass + "_" + file;
  }

  /**
   * How large a file is.
   *
   * @param fileClass from 0
   * @param file from 1
   * @return bytes
   */
  static int size(int fileClass, int file) {
    return UNIT[fileClass] * file;
  }

  private static byte[] content(int directory, int fileClass, int file) {
    byte[] bytes = new byte[size(fileClass, file)];
    new SplittableRandom((directory * CLASSES + fileClass) * (FILES + 1L) + file).nextBytes(bytes);
    return bytes;
  }

  private static String directory(int directory) {
    return String.format(Locale.ROOT, "dir%05d", directory);
  }
}
