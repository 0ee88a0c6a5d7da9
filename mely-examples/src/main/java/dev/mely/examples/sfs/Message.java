package dev.mely.examples.sfs;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * A message under construction. Every message begins with the type of its record, the number of its
 * request, and a code: the operation, or the result's status.
 */
final class Message {
  /** Where the fields begin. */
  static final int FIELDS = 6;

  /** The number in messages that do not answer a request. */
  static final int NO_REQUEST = 0;

  /** Maximum number of a file's bytes in a message. */
  static final int MAX_DATA = 64 << 10;

  /** Codes of messages that the server sends without a request. */
  static final int WELCOME = 1;

  static final int REFUSED = 2;
  static final int BROKEN = 3;

  /** Flag of the welcome: the client may write. */
  static final int MAY_WRITE = 1;

  /** Flags of an open. */
  static final int READ = 1;

  static final int WRITE = 2;
  static final int TRUNCATE = 4;

  /** Flag of a close: sync to disk before the answer. */
  static final int SYNC = 1;

  private ByteBuffer bytes = ByteBuffer.allocate(64);

  private Message(int request, int code) {
    bytes.put(Records.DATA).putInt(request).put((byte) code);
  }

  static Message request(Op op) {
    return new Message(NO_REQUEST, op.code());
  }

  static Message reply(Status status) {
    return new Message(NO_REQUEST, status.code());
  }

  static Message unasked(int code) {
    return new Message(NO_REQUEST, code);
  }

  /** Starts a reply, into which {@link #number} and the lease are put later. */
  static Message leased() {
    return reply(Status.OK).u64(0).u32(0);
  }

  private ByteBuffer room(int more) {
    if (bytes.remaining() < more) {
      int size = Math.max(bytes.position() + more, 2 * bytes.capacity());
      bytes = ByteBuffer.allocate(size).put(bytes.flip());
    }
    return bytes;
  }

  Message u8(int value) {
    room(1).put((byte) value);
    return this;
  }

  Message u16(int value) {
    room(2).putShort((short) value);
    return this;
  }

  Message u32(int value) {
    room(4).putInt(value);
    return this;
  }

  Message u64(long value) {
    room(8).putLong(value);
    return this;
  }

  Message text(String text) {
    byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
    if (utf8.length > 0xffff) {
      throw new IllegalArgumentException("a text of " + utf8.length + " bytes");
    }
    u16(utf8.length).room(utf8.length).put(utf8);
    return this;
  }

  Message attributes(Attributes attributes) {
    u8(attributes.type().code());
    return u64(attributes.size()).u64(attributes.modified()).u64(attributes.version());
  }

  Message data(byte[] source, int at, int length) {
    room(length).put(source, at, length);
    return this;
  }

  byte[] bytes() {
    return Arrays.copyOf(bytes.array(), bytes.position());
  }

  // ---- Finished messages

  static int number(byte[] message) {
    return ByteBuffer.wrap(message).getInt(1);
  }

  static void number(byte[] message, int request) {
    ByteBuffer.wrap(message).putInt(1, request);
  }

  static int code(byte[] message) {
    return Byte.toUnsignedInt(message[5]);
  }

  /** Fills in the lease after {@link #leased}. */
  static void lease(byte[] message, long lease, int millis) {
    ByteBuffer.wrap(message).putLong(FIELDS, lease).putInt(FIELDS + 8, millis);
  }

  /** Fills in the handle, which follows the lease. */
  static void handle(byte[] message, int handle) {
    ByteBuffer.wrap(message).putInt(FIELDS + 12, handle);
  }

  /** Fills in the number of entries, which follows the handle. */
  static void count(byte[] message, int count) {
    ByteBuffer.wrap(message).putShort(FIELDS + 16, (short) count);
  }

  /** An empty answer with room for {@code length} bytes of a file. */
  static byte[] withRoom(int length) {
    byte[] message = new byte[FIELDS + length];
    message[5] = (byte) Status.OK.code();
    return message;
  }
}
