package dev.mely.examples.sfs;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/**
 * Reads the fields of a message, one after the other. Numbers are big-endian. Missing or excess
 * bytes and invalid UTF-8 throw a {@link ProtocolViolation}.
 */
final class Fields {
  private final ByteBuffer rest;

  Fields(byte[] message, int from) throws ProtocolViolation {
    if (message.length < from) {
      throw new ProtocolViolation("a message of " + message.length + " bytes");
    }
    rest = ByteBuffer.wrap(message, from, message.length - from);
  }

  private interface Read<T> {
    T from(ByteBuffer buffer);
  }

  private <T> T read(Read<T> read) throws ProtocolViolation {
    try {
      return read.from(rest);
    } catch (BufferUnderflowException e) {
      throw new ProtocolViolation("a message is too short");
    }
  }

  int u8() throws ProtocolViolation {
    return Byte.toUnsignedInt(read(ByteBuffer::get));
  }

  int u16() throws ProtocolViolation {
    return Short.toUnsignedInt(read(ByteBuffer::getShort));
  }

  int u32() throws ProtocolViolation {
    return read(ByteBuffer::getInt);
  }

  long u64() throws ProtocolViolation {
    return read(ByteBuffer::getLong);
  }

  /** A number of bytes, or an offset in a file. */
  long offset() throws ProtocolViolation {
    long value = u64();
    if (value < 0) {
      throw new ProtocolViolation("an offset beyond 2^63");
    }
    return value;
  }

  String text() throws ProtocolViolation {
    int length = u16();
    if (length > rest.remaining()) {
      throw new ProtocolViolation("a text is longer than its message");
    }
    ByteBuffer bytes = rest.slice(rest.position(), length);
    rest.position(rest.position() + length);
    try {
      CharBuffer chars = StandardCharsets.UTF_8.newDecoder().decode(bytes);
      return chars.toString();
    } catch (CharacterCodingException e) {
      throw new ProtocolViolation("a text is not UTF-8");
    }
  }

  Attributes attributes() throws ProtocolViolation {
    int code = u8();
    Attributes.Type type = Attributes.Type.of(code);
    if (type == null) {
      throw new ProtocolViolation("a file of unknown type " + code);
    }
    return new Attributes(type, offset(), u64(), u64());
  }

  /** All remaining bytes. */
  ByteBuffer data() {
    ByteBuffer data = rest.slice();
    rest.position(rest.limit());
    return data;
  }

  /** Checks that no bytes remain. */
  void end() throws ProtocolViolation {
    if (rest.hasRemaining()) {
      throw new ProtocolViolation("a message is too long");
    }
  }
}
