package dev.mely.examples.sfs;

import dev.mely.examples.sfs.Answer.OpenFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The requests of one client: what they mean, and the files that it has open. Belongs to the
 * default color.
 */
final class Requests {
  /** So many files one client may have open. */
  static final int MAX_OPEN = 64;

  private final Volume volume;
  private final boolean writable;
  private final Map<Integer, OpenFile> open = new HashMap<>();
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
        String after = in.text();
        in.end();
        yield () -> volume.list(path, after);
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
        OpenFile closed = known(open.remove(handle));
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
    if (open.size() >= MAX_OPEN) {
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
    OpenFile file = known(open.get(in.u32()));
    long offset = in.offset();
    int length = in.u32();
    in.end();
    if (length < 0 || length > Message.MAX_DATA || offset > Long.MAX_VALUE - length) {
      throw new ProtocolViolation("a read out of range");
    }
    return () -> Volume.read(file, offset, length);
  }

  private Volume.Action write(Fields in) throws SfsException, ProtocolViolation {
    OpenFile file = known(open.get(in.u32()));
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

  private static OpenFile known(@Nullable OpenFile file) throws SfsException {
    if (file == null) {
      throw new SfsException(Status.BAD_REQUEST, "No such file is open.");
    }
    return file;
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

  /** A file has been opened. Returns its number. */
  int add(OpenFile file) {
    while (open.containsKey(nextHandle)) {
      nextHandle++;
    }
    open.put(nextHandle, file);
    return nextHandle++;
  }

  /** The client has gone. Returns what to do about its files, on a thread that may block. */
  Volume.Action close() {
    List<OpenFile> files = new ArrayList<>(open.values());
    open.clear();
    return () -> {
      for (OpenFile file : files) {
        try {
          file.close();
        } catch (IOException e) {
          // The descriptor is given up in any case.
        }
      }
      return Answer.changed(List.of());
    };
  }

  boolean hasOpenFiles() {
    return !open.isEmpty();
  }
}
