package dev.mely.examples.sfs;

import org.jspecify.annotations.Nullable;

/**
 * Decrypts what one side receives, and follows the sender's changes of keys. Each record must be
 * the very next one that the sender has sent: the number that goes into the nonce is counted on
 * both sides and never sent. Belongs to the color of its connection.
 */
final class Opener {
  private TrafficKey key;
  private boolean closed;

  /** A record was refused: nothing that comes after it can be the next one. */
  private boolean failed;

  /** The last record has changed the key: none does so twice in a row. */
  private boolean changed;

  Opener(byte[] secret) {
    this.key = new TrafficKey(secret);
  }

  /**
   * Decrypts a record.
   *
   * @param source has the record's body, without its header
   * @return the message, its first byte is the type; null: it was for this layer alone
   * @throws ProtocolViolation if it is not the next record of the sender, as it was sent
   */
  byte @Nullable [] open(byte[] source, int at, int length) throws ProtocolViolation {
    if (closed || failed) {
      throw new ProtocolViolation("a record after the last one");
    }
    failed = true; // unless all goes well
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
          throw new ProtocolViolation("a change of keys that makes no sense");
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

  /** Whether the sender has said that nothing more will come. */
  boolean isClosed() {
    return closed;
  }
}
