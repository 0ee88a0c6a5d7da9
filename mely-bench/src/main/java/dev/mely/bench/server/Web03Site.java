package dev.mely.bench.server;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;

/**
 * The files of the 2003 web server benchmark, asked for as SPECweb99 does: 35, 50, 14 and 1 % of
 * the requests go to the four classes, and the n-th directory gets 1/n of what the first one gets
 * (Zipf). The nine files of a class are asked for alike; SPECweb99 has a preference for the middle
 * ones.
 */
final class Web03Site implements Site {
  /** A few seconds of them, before they begin anew. */
  static final int REQUESTS = 100_000;

  private static final long SEED = 2_003;

  /** Of the classes, in percent. */
  private static final int[] MIX = {35, 50, 14, 1};

  @Override
  public List<String> paths() {
    SplittableRandom random = new SplittableRandom(SEED);
    return Stream.generate(() -> draw(random)).limit(REQUESTS).toList();
  }

  private static String draw(SplittableRandom random) {
    int file = 1 + random.nextInt(Web03Tree.FILES);
    return "/" + Web03Tree.path(directory(random), fileClass(random), file);
  }

  private static int fileClass(SplittableRandom random) {
    int left = random.nextInt(100);
    int fileClass = 0;
    while (left >= MIX[fileClass]) {
      left -= MIX[fileClass++];
    }
    return fileClass;
  }

  private static int directory(SplittableRandom random) {
    double all = 0;
    for (int d = 0; d < Web03Tree.DIRECTORIES; d++) {
      all += weight(d);
    }
    double left = random.nextDouble() * all;
    int directory = 0;
    while (directory < Web03Tree.DIRECTORIES - 1 && left >= weight(directory)) {
      left -= weight(directory++);
    }
    return directory;
  }

  private static double weight(int directory) {
    return 1.0 / (1 + directory);
  }

  @Override
  public int leastBytes() {
    return Web03Tree.size(0, 1);
  }

  @Override
  public void write(Path directory) throws IOException {
    Web03Tree.write(directory);
  }
}
