package dev.mely.examples.kv;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One call that writes to the append-only file; done once, by whoever comes first. */
final class LogJob {
  private final LogFile file;
  private final List<ByteBuffer> records;
  private final boolean sync;
  private final @Nullable LogFile fresh;
  private final List<ByteBuffer> freshRecords;
  private final boolean replaces;
  private final long bytes;

  // Guarded by this, and seen by whoever is told that it is done.
  private boolean done;
  private long size;
  private @Nullable IOException freshFailure;

  /**
   * Takes over what is to be written.
   *
   * @param sync whether to sync the file
   * @param fresh what will take its place; null: nothing
   * @param replaces whether it takes its place now
   */
  LogJob(
      LogFile file,
      List<ByteBuffer> records,
      boolean sync,
      @Nullable LogFile fresh,
      List<ByteBuffer> freshRecords,
      boolean replaces) {
    this.file = file;
    this.records = records;
    this.sync = sync;
    this.fresh = fresh;
    this.freshRecords = freshRecords;
    this.replaces = replaces;
    bytes = records.stream().mapToLong(ByteBuffer::remaining).sum();
  }

  /**
   * Writes. A failure at the new file costs only that.
   *
   * @return this
   * @throws IOException if the file itself cannot be written
   */
  synchronized LogJob perform() throws IOException {
    if (done) {
      return this;
    }
    if (!records.isEmpty()) {
      file.write(records);
    }
    if (sync) {
      file.sync();
    }
    size = file.size();
    if (fresh != null) {
      try {
        fresh.write(freshRecords);
        if (replaces) {
          fresh.sync();
          fresh.replace();
          size = fresh.size();
        }
      } catch (IOException e) {
        freshFailure = e;
      }
    }
    done = true;
    return this;
  }

  /** How much was to be written to the file. */
  long bytes() {
    return bytes;
  }

  boolean synced() {
    return sync || (replaces && freshFailure == null);
  }

  /** How long the file is now, the new one if it has taken its place. */
  long size() {
    return size;
  }

  boolean replaces() {
    return replaces;
  }

  LogFile fresh() {
    if (fresh == null) {
      throw new IllegalStateException("no new file");
    }
    return fresh;
  }

  @Nullable IOException freshFailure() {
    return freshFailure;
  }
}
