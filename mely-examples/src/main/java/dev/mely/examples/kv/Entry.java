package dev.mely.examples.kv;

import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A key and what it holds; it belongs to the color of its partition. */
final class Entry {
  final byte[] key;
  final long hash;

  /** The next one of the same bucket. */
  @Nullable Entry next;

  /** A {@code byte[]}, a {@link Text}, a map of fields, or a set of members. */
  private Object value;

  /** When it ends, in milliseconds since the epoch; 0: never. */
  long expireAt;

  /** No longer in the dictionary. */
  boolean removed;

  Entry(byte[] key, long hash, Object value) {
    this.key = key;
    this.hash = hash;
    this.value = value;
  }

  Object value() {
    return value;
  }

  void set(Object newValue) {
    value = newValue;
  }

  boolean isExpired(long now) {
    return expireAt != 0 && expireAt <= now;
  }

  String type() {
    if (value instanceof Map) {
      return "hash";
    }
    return value instanceof Set ? "set" : "string";
  }

  /** What a string holds, not to be changed. */
  byte[] string() throws CommandFailure {
    if (value instanceof byte[] bytes) {
      return bytes;
    }
    return text().copy();
  }

  int length() throws CommandFailure {
    return value instanceof byte[] bytes ? bytes.length : text().length();
  }

  /** Appends to a string; returns its length. */
  int append(byte[] more) throws CommandFailure {
    Text text = value instanceof byte[] bytes ? new Text(bytes) : text();
    text.append(more);
    value = text;
    return text.length();
  }

  private Text text() throws CommandFailure {
    if (value instanceof Text text) {
      return text;
    }
    throw new CommandFailure(CommandFailure.WRONG_TYPE);
  }

  /** The fields of a hash, in the order in which they came. */
  @SuppressWarnings("unchecked")
  Map<Bytes, byte[]> fields() throws CommandFailure {
    if (value instanceof Map) {
      return (Map<Bytes, byte[]>) value;
    }
    throw new CommandFailure(CommandFailure.WRONG_TYPE);
  }

  @SuppressWarnings("unchecked")
  Set<Bytes> members() throws CommandFailure {
    if (value instanceof Set) {
      return (Set<Bytes>) value;
    }
    throw new CommandFailure(CommandFailure.WRONG_TYPE);
  }
}
