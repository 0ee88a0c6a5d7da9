package dev.mely.examples.sfs;

import dev.mely.examples.service.PlannedBuffer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.util.ArrayDeque;

/** Encrypted records that are not written to the socket yet. Belongs to the shared color. */
final class Unwritten {
  private final ArrayDeque<PlannedBuffer> records = new ArrayDeque<>();
  private long lastProgress = System.nanoTime();

  void add(PlannedBuffer more) {
    if (records.isEmpty()) {
      lastProgress = System.nanoTime(); // the wait starts now
    }
    records.add(more);
  }

  /** Writes as much as the channel accepts. Returns how many bytes. */
  long writeTo(WritableByteChannel channel) throws IOException {
    long written = 0;
    while (!records.isEmpty()) {
      ByteBuffer head = records.element().memory();
      int n = channel.write(head);
      if (n > 0) {
        written += n;
        lastProgress = System.nanoTime();
      }
      if (head.hasRemaining()) {
        break;
      }
      records.remove().free();
    }
    return written;
  }

  boolean isEmpty() {
    return records.isEmpty();
  }

  /** The time of the last progress, as {@link System#nanoTime}. */
  long lastProgress() {
    return lastProgress;
  }

  /** Frees the records without writing them. */
  void free() {
    while (!records.isEmpty()) {
      records.remove().free();
    }
  }
}
