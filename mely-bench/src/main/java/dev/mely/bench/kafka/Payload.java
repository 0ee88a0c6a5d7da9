package dev.mely.bench.kafka;

import java.nio.ByteBuffer;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/**
 * The value of a record, which tells a {@link Ledger} what it is. The key is a number, too.
 *
 * @param number of the record, from 0, over all keys
 * @param turn its number among those of its key, from 0
 * @param due when it should have been sent, in microseconds of the system's clock, which processes
 *     share; 0: nobody asks how long it takes
 */
record Payload(int number, int turn, long due) {
  /** A small message's size. */
  private static final int BYTES = 100;

  byte[] toBytes() {
    return ByteBuffer.allocate(BYTES).putInt(number).putInt(turn).putLong(due).array();
  }

  static Payload of(byte[] value) {
    ByteBuffer read = ByteBuffer.wrap(value);
    return new Payload(read.getInt(), read.getInt(), read.getLong());
  }

  static long nowMicros() {
    return ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
  }
}
