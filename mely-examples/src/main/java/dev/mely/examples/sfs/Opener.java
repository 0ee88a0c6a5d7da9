package dev.mely.examples.sfs;

import org.jspecify.annotations.Nullable;

/**
 * Decrypts received records, and follows the sender's key changes. Each record must be the sender's
 * next one: both sides count the number in the nonce, which is never sent. Belongs to the color of
 * its connection.
 */
final class Opener {
  private TrafficKey key;
  private boolean closed;

  /** A record was refused: no later one can be accepted. */
  private boolean failed;

  /** The last record has changed the key; two changes in a row are refused. */
  private boolean changed;

  Opener(byte[] secret) {
    this.key = new TrafficKey(secret);
  }

  /**
   * Decrypts a record.
   *
   * @param source has the record's body, without its header
   * @return the message, whose first byte is the type; null for a record of this layer
   * @throws ProtocolViolation if it is not the sender's next record, unmodified
   */
  byte @Nullable [] open(byte[] source, int at, int length) throws ProtocolViolation {
    if (closed || failed) {
      throw new ProtocolViolation("a record after the last one");
    }
    failed = true; // reset on success
    byte[] message = key.open(Records.header(length), source, at, length);
    failed = false;
    if (message.length == 0) {
      throw new ProtocolViolation("an empty record");
    }
    switch (message[0]) {
      case Records.DATA, Records.HANDSHAKE -> {
        if (key.used() >= Records.MAX_PER_KEY) {
          throw new ProtocolViolation("a key was used too often");
        }
        changed = false;
        return message;
      }
      case Records.REKEY -> {
        if (message.length != 1 || changed) {
          throw new ProtocolViolation("an invalid change of keys");
        }
        key = key.next();
        changed = true;
        return null;
      }
      case Records.CLOSE -> {
        if (message.length != 1) {
          throw new ProtocolViolation("a last record that is too long");
        }
        closed = true;
        return null;
      }
      default -> throw new ProtocolViolation("a record of unknown type " + message[0]);
    }
  }

  /** Whether the sender has announced that it sends no more. */
  boolean isClosed() {
    return closed;
  }
}
