package dev.mely.examples.kv;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Does again what an append-only file says. Before the first connection: nobody else touches the
 * store.
 *
 * <p>An entry that is not there to its end was being written when the process was killed, and so
 * was a last one with a wrong checksum: it is cut off, with a warning, and nobody was told that it
 * was kept. Anything wrong before that is damage, and nothing is guessed.
 */
final class LogReader {
  /** Says that a partition holds nothing, from here on what comes. */
  static final byte[] RESET = Bytes.of("MELY.RESET");

  /** Says that all partitions have come. */
  static final byte[] BASE = Bytes.of("MELY.BASE");

  private static final Logger LOG = LoggerFactory.getLogger(LogReader.class);

  private final LogFile file;
  private final Store store;
  private final CommandTable table;
  private final Reply reply = new Reply(Integer.MAX_VALUE - 16);
  private final Call call;
  private boolean isBase;
  private long place = LogFile.HEADER;

  LogReader(LogFile file, Store store, CommandTable table) {
    this.file = file;
    this.store = store;
    this.table = table;
    call = new Call(store, new Client(0), reply, null);
    isBase = file.hasBase;
  }

  /**
   * Reads all, and leaves the file where the next entry is to be written.
   *
   * @return how many entries there were
   * @throws IOException if the file is damaged, or cannot be read
   */
  long read() throws IOException {
    FileChannel channel = file.channel().position(place);
    long size = channel.size();
    long count = 0;
    DataInputStream in =
        new DataInputStream(new BufferedInputStream(Channels.newInputStream(channel), 1 << 20));
    String cut = null;
    while (place < size && cut == null) {
      cut = next(in, size);
      count += cut == null ? 1 : 0;
    }
    if (cut != null) {
      LOG.warn(
          "{}: {} at byte {}; the last {} bytes are cut off",
          file.path(),
          cut,
          place,
          size - place);
      channel.truncate(place);
      channel.force(true);
    }
    if (isBase) {
      throw damaged("the snapshot that it begins with has no end");
    }
    channel.position(place);
    return count;
  }

  /** Reads one entry; returns why it is to be cut off, or null. */
  private @org.jspecify.annotations.Nullable String next(DataInputStream in, long size)
      throws IOException {
    byte[] header = in.readNBytes(LogRecord.HEADER);
    if (header.length < LogRecord.HEADER) {
      return "an entry has no end";
    }
    java.nio.ByteBuffer fields = java.nio.ByteBuffer.wrap(header);
    int length = fields.getInt();
    int checksum = fields.getInt();
    if (fields.getInt() != LogRecord.checksum(header, 0, 8) || length < 0) {
      if (restIsZero(header, in)) {
        return "there is nothing but zeros"; // a file system that had made room
      }
      throw damaged("the header of an entry has a wrong checksum");
    }
    if (length > size - place - LogRecord.HEADER) {
      return "an entry has no end";
    }
    byte[] commands = in.readNBytes(length);
    if (commands.length < length) {
      throw new EOFException(file.path() + " has become shorter while it was read");
    }
    if (checksum != LogRecord.checksum(commands, 0, length)) {
      if (place + LogRecord.HEADER + length == size) {
        return "the last entry has a wrong checksum";
      }
      throw damaged("an entry has a wrong checksum");
    }
    perform(commands);
    place += LogRecord.HEADER + length;
    return null;
  }

  private static boolean restIsZero(byte[] header, DataInputStream in) throws IOException {
    for (byte b : header) {
      if (b != 0) {
        return false;
      }
    }
    for (int b = in.read(); b >= 0; b = in.read()) {
      if (b != 0) {
        return false;
      }
    }
    return true;
  }

  private void perform(byte[] bytes) throws IOException {
    List<byte[][]> commands = new ArrayList<>();
    try {
      new RequestReader(Integer.MAX_VALUE - 16, Long.MAX_VALUE)
          .take(bytes, 0, bytes.length, commands);
    } catch (ProtocolError e) {
      throw damaged("an entry has no commands: " + e.getMessage());
    }
    for (byte[][] words : commands) {
      if (java.util.Arrays.equals(words[0], RESET)) {
        reset(words);
      } else if (java.util.Arrays.equals(words[0], BASE)) {
        isBase = false;
      } else {
        perform(words);
      }
    }
  }

  private void reset(byte[][] words) throws IOException {
    try {
      store.partition((int) Numbers.integer(words[1])).clear();
    } catch (CommandFailure | IndexOutOfBoundsException e) {
      throw damaged("there is no such partition");
    }
  }

  private void perform(byte[][] words) throws IOException {
    Command command = table.find(words[0]);
    if (command == null || command.body() == null || !command.accepts(words)) {
      throw damaged("there is no such command: " + new Bytes(words[0]));
    }
    call.begin();
    call.run(command, words);
    // While a snapshot comes, what came before its part is undone by it: it may not even fit.
    if (reply.size() > 0 && reply.lend().get(0) == '-' && !isBase) {
      throw damaged("a command fails that did not fail before: " + command.name());
    }
    reply.reuse();
  }

  private IOException damaged(String why) {
    return new IOException(
        file.path()
            + " is damaged at byte "
            + place
            + ": "
            + why
            + "; restore it from a copy, or cut it off there to lose all that comes later");
  }
}
