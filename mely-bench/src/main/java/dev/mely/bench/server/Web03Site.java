package dev.mely.bench.server;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.stream.Stream;

/**
 * The 720 files of the 2003 web server benchmark, with the sizes of SPECweb99: 20 directories of 4
 * classes of 9 files; file {@code n} of class {@code c} has {@code n * 0.1 * 10^c} KB, 102 MB in
 * total. All files differ, and are the same in each run. The requests follow SPECweb99: 35, 50, 14
 * and 1 % of them go to the four classes, and the n-th directory gets 1/n of the first one's
 * (Zipf). The nine files of a class get equally many requests; SPECweb99 prefers the middle ones.
 */
public final class Web03Site implements Site {
  /** How many directories there are, from 0. */
  static final int DIRECTORIES = 20;

  /** How many classes of files are in each directory, from 0. */
  static final int CLASSES = 4;

  /** How many files of each class are in each directory, from 1. */
  public static final int FILES = 9;

  private static final int[] UNIT = {102, 1_024, 10_240, 102_400};

  /** Requests of a few seconds, before they repeat. */
  static final int REQUESTS = 100_000;

  private static final long SEED = 2_003;

  /** Shares of the classes, in percent. */
  private static final int[] MIX = {35, 50, 14, 1};

  @Override
  public List<String> paths() {
    SplittableRandom random = new SplittableRandom(SEED);
    return Stream.generate(() -> draw(random)).limit(REQUESTS).toList();
  }

  private static String draw(SplittableRandom random) {
    int file = 1 + random.nextInt(FILES);
    return "/" + path(directory(random), fileClass(random), file);
  }

  /** Draws the class of the next requested file, from 0. */
  public static int fileClass(SplittableRandom random) {
    int left = random.nextInt(100);
    int fileClass = 0;
    while (left >= MIX[fileClass]) {
      left -= MIX[fileClass++];
    }
    return fileClass;
  }

  private static int directory(SplittableRandom random) {
    double all = 0;
    for (int d = 0; d < DIRECTORIES; d++) {
      all += weight(d);
    }
    double left = random.nextDouble() * all;
    int directory = 0;
    while (directory < DIRECTORIES - 1 && left >= weight(directory)) {
      left -= weight(directory++);
    }
    return directory;
  }

  private static double weight(int directory) {
    return 1.0 / (1 + directory);
  }

  @Override
  public int leastBytes() {
    return size(0, 1);
  }

  @Override
  public void write(Path directory) throws IOException {
    for (int d = 0; d < DIRECTORIES; d++) {
      Files.createDirectories(directory.resolve(name(d)));
      for (int c = 0; c < CLASSES; c++) {
        for (int f = 1; f <= FILES; f++) {
          Files.write(directory.resolve(path(d, c, f)), content(d, c, f));
        }
      }
    }
  }

  /** The path of a file, without a leading slash. */
  private static String path(int directory, int fileClass, int file) {
    return name(directory) + "/class" + fileClass + "_" + file;
  }

  /** Size of a file in bytes; classes count from 0, files from 1. */
  public static int size(int fileClass, int file) {
    return UNIT[fileClass] * file;
  }

  private static byte[] content(int directory, int fileClass, int file) {
    byte[] bytes = new byte[size(fileClass, file)];
    new SplittableRandom((directory * CLASSES + fileClass) * (FILES + 1L) + file).nextBytes(bytes);
    return bytes;
  }

  private static String name(int directory) {
    return String.format(Locale.ROOT, "dir%05d", directory);
  }
}
