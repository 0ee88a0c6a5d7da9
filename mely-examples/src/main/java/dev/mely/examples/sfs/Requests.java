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
 * The requests of one connection: what they mean, and the files and directories that it has open.
 * Belongs to the default color.
 */
final class Requests {
  /** So many files one client may have open. */
  static final int MAX_OPEN = 64;

  /**
   * The most listings of a connection; for one more, the one that was read longest ago is given up.
   */
  static final int MAX_LISTINGS = 4;

  private final Volume volume;
  private final boolean writable;

  /** By their handles. Of the listings, the one that was read longest ago comes first. */
  private final Map<Integer, Closeable> open = new LinkedHashMap<>();

  /** What the operation under way has taken out of the map: to be closed, or put back. */
  private @Nullable Closeable inHand;

  private int nextHandle = 1;

  Requests(Volume volume, boolean writable) {
    this.volume = volume;
    this.writable = writable;
  }

  /**
   * Reads a request.
   *
   * @return what to do, on a thread that may block
   * @throws SfsException if it is refused
   * @throws ProtocolViolation if it makes no sense
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
   * The operation is over.
   *
   * @param kept what is open after it
   * @return its handle; 0: there is none
   */
  int over(@Nullable Closeable kept) {
    Closeable old = inHand;
    inHand = kept;
    if (old != kept) {
      close(old); // again, or for the first time if the operation was not even begun
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

  /** The client has gone, and no operation of it is under way. Blocks; any thread. */
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
      // The descriptor is given up in any case.
    }
  }

  boolean hasOpen() {
    return !open.isEmpty() || inHand != null;
  }
}
