package dev.mely.bench.kafka;

import java.nio.ByteBuffer;

/**
 * The value of a record, which tells a {@link Ledger} what it is. The key is a number, too.
 *
 * @param number of the record, from 0, over all keys
 * @param turn its number among those of its key, from 0
 */
record Payload(int number, int turn) {
  /** A small message's size. */
  private static final int BYTES = 100;

  byte[] toBytes() {
    return ByteBuffer.allocate(BYTES).putInt(number).putInt(turn).array();
  }

  static Payload of(byte[] value) {
    ByteBuffer read = ByteBuffer.wrap(value);
    return new Payload(read.getInt(), read.getInt());
  }
}
