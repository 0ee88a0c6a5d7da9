package dev.mely.bench.server;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/** What a server serves, and what {@link Wrk} asks of it. */
interface Site {
  /** How to talk to the server: {@code http} or {@code https}. */
  default String scheme() {
    return "http";
  }

  /** What to ask for, in order, and then again. */
  List<String> paths();

  /** The bytes of the shortest answer. */
  int leastBytes();

  /**
   * Writes what is served.
   *
   * @param directory an empty one
   */
  void write(Path directory) throws IOException;

  /** Files of equal size, {@code 0.bin}, {@code 1.bin} and so on, asked for in turn. */
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
