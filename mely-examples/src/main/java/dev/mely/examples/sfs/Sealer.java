package dev.mely.examples.sfs;

import java.nio.ByteBuffer;
import java.util.function.LongSupplier;

/**
 * Encrypts messages to send, and changes the key by the {@link RekeyRule}. Belongs to the color of
 * its connection.
 */
final class Sealer {
  private static final byte[] REKEY = {Records.REKEY};
  private static final int OVERHEAD = Records.HEADER + TrafficKey.TAG_BYTES;

  private TrafficKey key;
  private final RekeyRule rule;
  private final LongSupplier nanoTime;
  private long since;

  Sealer(byte[] secret, RekeyRule rule, LongSupplier nanoTime) {
    this.key = new TrafficKey(secret);
    this.rule = rule;
    this.nanoTime = nanoTime;
    this.since = nanoTime.getAsLong();
  }

  /** Maximum encrypted size of a message, including a key change before it. */
  static int sealedSize(byte[] message) {
    return message.length + OVERHEAD + REKEY.length + OVERHEAD;
  }

  /**
   * Appends a message as a record, after a key change if one is due.
   *
   * @param message its first byte is the type
   * @param target a buffer with at least {@link #sealedSize} bytes remaining
   */
  void seal(byte[] message, ByteBuffer target) {
    long now = nanoTime.getAsLong();
    boolean old = now - since >= rule.time().toNanos() && key.used() > 0;
    if (old || key.used() >= rule.records() - 1) {
      append(REKEY, target);
      key = key.next();
      since = now;
    } else if (key.used() == 0) {
      since = now;
    }
    append(message, target);
  }

  private void append(byte[] message, ByteBuffer target) {
    byte[] header = Records.header(message.length + TrafficKey.TAG_BYTES);
    key.seal(header, message, target.put(header));
  }

  /** Encrypts a message as a single record. */
  byte[] seal(byte[] message) {
    ByteBuffer record = ByteBuffer.allocate(sealedSize(message));
    seal(message, record);
    byte[] bytes = new byte[record.flip().remaining()];
    record.get(bytes);
    return bytes;
  }
}
