package dev.mely.examples.sws;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SplittableRandom;

/**
 * A folder of 720 files in 20 directories, from 100 bytes to 900 KB, 102 MB in all: what is sent
 * from memory, what is read from the disk, and what takes several writes. Every file has bytes of
 * its own, the same in each run.
 */
final class FileTree {
  static final int FILES = 720;
  static final int DIRECTORIES = 20;

  private static final int FILES_OF_ONE = FILES / DIRECTORIES;
  private static final int[] UNITS = {102, 1_024, 10_240, 102_400};

  private FileTree() {}

  /** Writes all files into an existing directory. */
  static void write(Path root) throws IOException {
    for (int file = 0; file < FILES; file++) {
      Path at = root.resolve(path(file));
      Files.createDirectories(at.getParent());
      Files.write(at, content(file));
    }
  }

  /** The numbers of the files in a directory, small and large ones in turn. */
  static int[] filesOf(int directory) {
    int[] files = new int[FILES_OF_ONE];
    for (int i = 0; i < files.length; i++) {
      files[i] = directory * FILES_OF_ONE + i;
    }
    return files;
  }

  /** Where a file is below the root, without a slash before it. */
  static String path(int file) {
    return "dir" + file / FILES_OF_ONE + "/file" + file;
  }

  static byte[] content(int file) {
    int size = UNITS[file % UNITS.length] * (1 + file % FILES_OF_ONE / UNITS.length);
    byte[] bytes = new byte[size];
    new SplittableRandom(file).nextBytes(bytes);
    return bytes;
  }
}
