package dev.mely.examples.sfs;

import dev.mely.examples.sfs.Answer.OpenFile;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Parses the requests of one connection, and keeps its open files and directories. Belongs to the
 * default color.
 */
final class Requests {
  /** How many files a connection may have open. */
  static final int MAX_OPEN = 64;

  /** How many listings a connection may have open; one more closes the least recently read one. */
  static final int MAX_LISTINGS = 4;

  private final Volume volume;
  private final boolean writable;

  /** By handle. The least recently read listing comes first. */
  private final Map<Integer, Closeable> open = new LinkedHashMap<>();

  /** Taken out of the map by the current operation: will be closed or put back. */
  private @Nullable Closeable inHand;

  private int nextHandle = 1;

  Requests(Volume volume, boolean writable) {
    this.volume = volume;
    this.writable = writable;
  }

  /**
   * Parses a request.
   *
   * @return the action, for a thread that may block
   * @throws SfsException if it is refused
   * @throws ProtocolViolation if it is malformed
   */
  Volume.Action parse(byte[] message) throws SfsException, ProtocolViolation {
    Fields in = new Fields(message, Message.FIELDS);
    Op op = Op.of(Message.code(message));
    if (op == null) {
      throw new ProtocolViolation("no such operation");
    }
    return switch (op) {
      case PING -> {
        in.end();
        yield () -> Answer.of(Message.reply(Status.OK).bytes());
      }
      case LIST -> {
        String path = path(in);
        in.end();
        yield () -> volume.list(path);
      }
      case MORE -> {
        Listing listing = known(in.u32(), Listing.class);
        in.end();
        open.values().remove(listing);
        inHand = listing;
        yield () -> listing.page();
      }
      case STAT -> {
        String path = path(in);
        in.end();
        yield () -> volume.stat(path);
      }
      case OPEN -> open(in);
      case READ -> read(in);
      case WRITE -> write(in);
      case CLOSE -> {
        int handle = in.u32();
        int flags = in.u8();
        in.end();
        if ((flags & ~Message.SYNC) != 0) {
          throw new ProtocolViolation("unknown flags");
        }
        Closeable closed = known(handle, Closeable.class);
        open.remove(handle);
        inHand = closed;
        yield () -> Volume.close(closed, (flags & Message.SYNC) != 0);
      }
      case RENAME -> {
        String from = path(in);
        String to = path(in);
        in.end();
        mustBeWritable();
        yield () -> volume.rename(from, to);
      }
      case REMOVE -> {
        String path = path(in);
        in.end();
        mustBeWritable();
        yield () -> volume.remove(path);
      }
    };
  }

  private Volume.Action open(Fields in) throws SfsException, ProtocolViolation {
    String path = path(in);
    int flags = in.u8();
    in.end();
    if (files() >= MAX_OPEN) {
      throw new SfsException(Status.BUSY, "Too many open files.");
    }
    if (flags == Message.READ) {
      return () -> volume.openToRead(path);
    }
    if ((flags & Message.WRITE) == 0
        || (flags & ~(Message.READ | Message.WRITE | Message.TRUNCATE)) != 0) {
      throw new ProtocolViolation("unknown flags");
    }
    mustBeWritable();
    return () -> volume.openToWrite(path, (flags & Message.TRUNCATE) != 0);
  }

  private Volume.Action read(Fields in) throws SfsException, ProtocolViolation {
    OpenFile file = known(in.u32(), OpenFile.class);
    long offset = in.offset();
    int length = in.u32();
    in.end();
    if (length < 0 || length > Message.MAX_DATA || offset > Long.MAX_VALUE - length) {
      throw new ProtocolViolation("a read out of range");
    }
    return () -> Volume.read(file, offset, length);
  }

  private Volume.Action write(Fields in) throws SfsException, ProtocolViolation {
    OpenFile file = known(in.u32(), OpenFile.class);
    long offset = in.offset();
    ByteBuffer data = in.data();
    if (data.remaining() > Message.MAX_DATA || offset > Long.MAX_VALUE - data.remaining()) {
      throw new ProtocolViolation("a write out of range");
    }
    if (!file.writable()) {
      throw new SfsException(Status.DENIED, "The file was opened for reading.");
    }
    return () -> Volume.write(file, offset, data);
  }

  private <T extends Closeable> T known(int handle, Class<T> type) throws SfsException {
    Closeable opened = open.get(handle);
    if (opened == null) {
      throw new SfsException(Status.BAD_REQUEST, "No such file is open.");
    }
    if (!type.isInstance(opened)) {
      String what = opened instanceof Listing ? "That is a directory." : "That is a file.";
      throw new SfsException(Status.WRONG_TYPE, what);
    }
    return type.cast(opened);
  }

  private static String path(Fields in) throws ProtocolViolation {
    String path = in.text();
    if (path.getBytes(StandardCharsets.UTF_8).length > Volume.MAX_PATH) {
      throw new ProtocolViolation("a path is too long");
    }
    return path;
  }

  private void mustBeWritable() throws SfsException {
    if (!writable) {
      throw new SfsException(Status.DENIED, "This client may only read.");
    }
  }

  /**
   * The operation is complete.
   *
   * @param kept the file or directory that is open after it; or null
   * @return its handle; 0: none
   */
  int over(@Nullable Closeable kept) {
    Closeable old = inHand;
    inHand = kept;
    if (old != kept) {
      close(old); // idempotent: the operation may have closed it, or may not have run
    }
    if (kept == null) {
      return 0;
    }
    while (nextHandle == 0 || open.containsKey(nextHandle)) {
      nextHandle++;
    }
    open.put(nextHandle, kept);
    inHand = null;
    if (kept instanceof Listing) {
      giveUpOldest();
    }
    return nextHandle++;
  }

  private void giveUpOldest() {
    if (open.size() - files() > MAX_LISTINGS) {
      Closeable oldest = open.values().stream().filter(Listing.class::isInstance).iterator().next();
      open.values().remove(oldest);
      close(oldest);
    }
  }

  private int files() {
    return (int) open.values().stream().filter(OpenFile.class::isInstance).count();
  }

  /**
   * Closes all, after the client has left and its last operation is complete. Blocks; any thread.
   */
  synchronized void closeAll() {
    open.values().forEach(Requests::close);
    open.clear();
    close(inHand);
    inHand = null;
  }

  private static void close(@Nullable Closeable opened) {
    try {
      if (opened != null) {
        opened.close();
      }
    } catch (IOException e) {
      // The descriptor is closed in any case.
    }
  }

  boolean hasOpen() {
    return !open.isEmpty() || inHand != null;
  }
}
