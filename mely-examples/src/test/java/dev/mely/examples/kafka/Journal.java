package dev.mely.examples.kafka;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * What has happened, in one order for all processes: a file that they map. What a process has
 * written stays when it is killed, since the pages are the kernel's.
 *
 * <pre>
 *   long 0   how many entries
 *   long n   entry n - 1: kind (8 bits), member (16), partition (8), offset (32)
 *            0: its writer has taken the place and not written yet, or was killed just there
 * </pre>
 *
 * <p>Thread-safe, between processes, too.
 */
final class Journal {
  /** The kinds of entries. */
  enum Kind {
    /** A member's handler has been given a record. */
    BEGAN,
    /** It is about to return. */
    DONE,
    /** The broker says that the record is committed. */
    COMMITTED,
    /** A member is about to be killed. */
    KILLED,
    /** A member is about to be stopped for so long that its group expels it. */
    SUSPENDED,
    /** A member has lost partitions, or could not commit what it gives up. */
    LOST,
    /** A member has closed its consumer without a failure. */
    LEFT
  }

  private static final VarHandle LONGS =
      MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());
  private static final Kind[] KINDS = Kind.values();
  private static final int KIND_AT = 56;
  private static final int MEMBER_AT = 40;
  private static final int PARTITION_AT = 32;
  private static final int BYTE = 0xff;
  private static final int SHORT = 0xffff;

  private final ByteBuffer map;

  private Journal(ByteBuffer map) {
    this.map = map;
  }

  /**
   * Opens a journal, and makes it if there is none.
   *
   * @param entries room for as many; the same in all processes
   */
  static Journal open(Path file, int entries) throws IOException {
    try (FileChannel channel =
        FileChannel.open(
            file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      long bytes = (entries + 1L) * Long.BYTES;
      return new Journal(channel.map(FileChannel.MapMode.READ_WRITE, 0, bytes));
    }
  }

  /** How many entries there are; those of processes that are at it may be empty yet. */
  int size() {
    return (int) (long) LONGS.getVolatile(map, 0);
  }

  void add(Kind kind, int member, int partition, long offset) {
    int place = (int) (long) LONGS.getAndAdd(map, 0, 1L) + 1;
    if (place >= map.capacity() / Long.BYTES) {
      throw new IllegalStateException("the journal is full");
    }
    LONGS.setVolatile(
        map,
        place * Long.BYTES,
        (kind.ordinal() + 1L) << KIND_AT
            | (long) member << MEMBER_AT
            | (long) partition << PARTITION_AT
            | offset);
  }

  void add(Kind kind, int member) {
    add(kind, member, 0, 0);
  }

  /** An entry, for the next four methods; 0: it is empty. */
  long entry(int index) {
    return (long) LONGS.getVolatile(map, (index + 1) * Long.BYTES);
  }

  static Kind kind(long entry) {
    return KINDS[(int) (entry >>> KIND_AT) - 1];
  }

  static int member(long entry) {
    return (int) (entry >>> MEMBER_AT) & SHORT;
  }

  static int partition(long entry) {
    return (int) (entry >>> PARTITION_AT) & BYTE;
  }

  static int offset(long entry) {
    return (int) entry;
  }
}
