package dev.mely.examples.kv;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.security.SecureRandom;
import java.util.List;

/**
 * An append-only file.
 *
 * <pre>
 *   8 bytes   MELYKV01
 *   16 bytes  the key of the hash that says which partition a key belongs to
 *   4 bytes   number of partitions
 *   4 bytes   1: it begins with a snapshot, and ends it by MELY.BASE; 0: it began empty
 *   4 bytes   CRC-32C of what comes before
 *   entries, see {@link LogRecord}
 * </pre>
 *
 * <p>Blocks: called by helper threads. Not thread-safe.
 */
final class LogFile implements Closeable {
  static final String NAME = "appendonly.kv";
  private static final String NEW = "appendonly.kv.new";
  static final int HEADER = 36;
  private static final long MAGIC = 0x4d454c594b563031L;

  private final Path folder;
  private final FileChannel channel;
  private final Path path;
  private final long k0;
  private final long k1;
  final int partitions;

  /** It begins with a snapshot. */
  final boolean hasBase;

  private LogFile(
      Path folder,
      String name,
      FileChannel channel,
      long k0,
      long k1,
      int partitions,
      boolean hasBase) {
    this.folder = folder;
    this.path = folder.resolve(name);
    this.channel = channel;
    this.k0 = k0;
    this.k1 = k1;
    this.partitions = partitions;
    this.hasBase = hasBase;
  }

  /**
   * Opens what is in a folder, or begins.
   *
   * @param partitions how many, if it begins
   * @throws IOException if it cannot be opened, or is something else; the message says what
   */
  static LogFile open(Path folder, int partitions) throws IOException {
    Files.deleteIfExists(folder.resolve(NEW)); // of a process that was killed
    Path path = folder.resolve(NAME);
    FileChannel channel =
        FileChannel.open(
            path, StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.CREATE);
    boolean opened = false;
    try {
      LogFile file;
      if (channel.size() < HEADER) { // killed before the first entry, whose header is synced first
        channel.truncate(0);
        SecureRandom random = new SecureRandom();
        file =
            new LogFile(
                folder, NAME, channel, random.nextLong(), random.nextLong(), partitions, false);
        file.begin();
        file.syncFolder();
      } else {
        file = read(folder, channel);
      }
      opened = true;
      return file;
    } finally {
      if (!opened) {
        channel.close();
      }
    }
  }

  private static LogFile read(Path folder, FileChannel channel) throws IOException {
    Path path = folder.resolve(NAME);
    ByteBuffer header = ByteBuffer.allocate(HEADER);
    while (header.hasRemaining() && channel.read(header) >= 0) {}
    header.flip();
    if (header.getLong() != MAGIC) {
      throw new IOException(path + " is no append-only file of kv");
    }
    LogFile file =
        new LogFile(
            folder,
            NAME,
            channel,
            header.getLong(),
            header.getLong(),
            header.getInt(),
            header.getInt() == 1);
    if (header.getInt() != LogRecord.checksum(header.array(), 0, HEADER - 4)) {
      throw new IOException(path + " is damaged at byte 0: its header has a wrong checksum");
    }
    return file;
  }

  /** Begins a new one beside this one, to take its place by {@link #replace}. */
  LogFile beginNew() throws IOException {
    FileChannel fresh =
        FileChannel.open(
            folder.resolve(NEW),
            StandardOpenOption.READ,
            StandardOpenOption.WRITE,
            StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING);
    LogFile file = new LogFile(folder, NEW, fresh, k0, k1, partitions, true);
    file.begin();
    return file;
  }

  private void begin() throws IOException {
    ByteBuffer header = ByteBuffer.allocate(HEADER);
    header.putLong(MAGIC).putLong(k0).putLong(k1).putInt(partitions).putInt(hasBase ? 1 : 0);
    header.putInt(LogRecord.checksum(header.array(), 0, HEADER - 4));
    write(List.of(header.flip()));
    sync();
  }

  SipHash hash() {
    return new SipHash(k0, k1);
  }

  FileChannel channel() {
    return channel;
  }

  Path path() {
    return path;
  }

  long size() throws IOException {
    return channel.size();
  }

  /** Appends at the end of what has been read or written. */
  void write(List<ByteBuffer> records) throws IOException {
    int most = 512;
    for (int from = 0; from < records.size(); from += most) {
      ByteBuffer[] some =
          records.subList(from, Math.min(records.size(), from + most)).toArray(ByteBuffer[]::new);
      while (some[some.length - 1].hasRemaining()) {
        channel.write(some);
      }
    }
  }

  void sync() throws IOException {
    channel.force(false);
  }

  /** Lets this one, which is new and synced, take the place of the one before. */
  void replace() throws IOException {
    Files.move(
        path,
        folder.resolve(NAME),
        StandardCopyOption.ATOMIC_MOVE,
        StandardCopyOption.REPLACE_EXISTING);
    syncFolder();
  }

  /** A name is safe when its folder has been synced. */
  private void syncFolder() throws IOException {
    try (FileChannel directory = FileChannel.open(folder, StandardOpenOption.READ)) {
      directory.force(true);
    }
  }

  /** Gives a new one up. */
  void discard() throws IOException {
    channel.close();
    Files.deleteIfExists(path);
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
