package dev.mely.examples.sfs;

import dev.mely.examples.sfs.SfsClient.RemoteFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The papers' measurement of SFS: clients that read one large file at the same time, each over a
 * connection of its own (Mely, section V-C-2: 16 clients, 200 MB). Each computes how fast it reads;
 * nothing is cached, and what arrives is decrypted, checked, and dropped.
 */
final class Bench {
  /** So many reads of a client are on their way at a time. */
  private static final int WINDOW = 4;

  private Bench() {}

  /**
   * Has all clients read at the same time.
   *
   * @return the megabytes per second of each, from its first request to its last answer
   */
  static List<Double> run(List<SfsClient> clients, String path, long size, Duration patience)
      throws IOException {
    List<Reader> readers = new ArrayList<>();
    for (SfsClient client : clients) {
      RemoteFile file = client.open(path, Message.READ);
      if (file.attributes().size() < size) {
        throw new IOException(
            "'" + path + "' has only " + file.attributes().size() + " bytes of " + size);
      }
      readers.add(new Reader(file, size));
    }
    readers.forEach(Reader::start);
    List<Double> rates = new ArrayList<>();
    for (Reader reader : readers) {
      rates.add(SfsClient.await(reader.rate, patience));
    }
    return rates;
  }

  /** Reads one file. Its answers come in its client's color, or while it starts: hence the lock. */
  private static final class Reader {
    private final RemoteFile file;
    private final long size;
    private final CompletableFuture<Double> rate = new CompletableFuture<>();
    private long begun;
    private long asked;
    private long received;

    Reader(RemoteFile file, long size) {
      this.file = file;
      this.size = size;
    }

    synchronized void start() {
      begun = System.nanoTime();
      if (size == 0) {
        rate.complete(0.0);
      }
      for (int i = 0; i < WINDOW && asked < size; i++) {
        next();
      }
    }

    private void next() {
      int length = (int) Math.min(Message.MAX_DATA, size - asked);
      long at = asked;
      asked += length;
      CompletableFuture<?> unused =
          file.read(at, length).whenComplete((data, why) -> arrived(data, length, why));
    }

    private synchronized void arrived(ByteBuffer data, int length, @Nullable Throwable why) {
      try {
        if (why != null) {
          throw why;
        }
        if (data.remaining() < length) {
          throw new IOException("the file has become shorter");
        }
        received += length;
        if (received == size) {
          rate.complete(size * 1e3 / Math.max(1, System.nanoTime() - begun));
        } else if (asked < size) {
          next();
        }
      } catch (Throwable t) {
        rate.completeExceptionally(t); // nobody else tells the one who waits
      }
    }
  }
}
