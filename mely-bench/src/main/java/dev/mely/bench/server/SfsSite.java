package dev.mely.bench.server;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/**
 * One file of 200 MB, read repeatedly from start to end, piece by piece.
 *
 * @param pieces number of pieces
 */
record SfsSite(int pieces) implements Site {
  /** The name of the file. */
  static final String FILE = "file";

  /** Bytes per request. */
  static final int PIECE_BYTES = 64 * 1_024;

  /** The size in the paper. */
  static SfsSite usual() {
    return new SfsSite(200_000_000 / PIECE_BYTES);
  }

  @Override
  public String scheme() {
    return "https";
  }

  @Override
  public List<String> paths() {
    return IntStream.range(0, pieces).mapToObj(i -> "/" + i).toList();
  }

  @Override
  public int leastBytes() {
    return PIECE_BYTES;
  }

  @Override
  public void write(Path directory) throws IOException {
    SplittableRandom random = new SplittableRandom(pieces);
    byte[] piece = new byte[PIECE_BYTES];
    try (OutputStream out = Files.newOutputStream(directory.resolve(FILE))) {
      for (int i = 0; i < pieces; i++) {
        random.nextBytes(piece);
        out.write(piece);
      }
    }
  }
}
