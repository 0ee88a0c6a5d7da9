package dev.mely.bench.server;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/** The files of a server, and the requests of {@link Wrk}. */
interface Site {
  /** The URL's scheme: {@code http} or {@code https}. */
  default String scheme() {
    return "http";
  }

  /** The paths to request, in order, and then again. */
  List<String> paths();

  /** Size of the shortest answer in bytes. */
  int leastBytes();

  /**
   * Writes the files.
   *
   * @param directory an empty one
   */
  void write(Path directory) throws IOException;

  /** Files of equal size, {@code 0.bin}, {@code 1.bin} and so on, requested in turn. */
  record EqualFiles(int files, int leastBytes) implements Site {
    @Override
    public List<String> paths() {
      return IntStream.range(0, files).mapToObj(i -> "/" + i + ".bin").toList();
    }

    @Override
    public void write(Path directory) throws IOException {
      SplittableRandom random = new SplittableRandom(files);
      for (int i = 0; i < files; i++) {
        byte[] content = new byte[leastBytes];
        random.nextBytes(content);
        Files.write(directory.resolve(i + ".bin"), content);
      }
    }
  }
}
