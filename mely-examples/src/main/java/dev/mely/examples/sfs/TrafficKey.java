package dev.mely.examples.sfs;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * The key of one direction, and those after it. Each is derived from a secret that its successor's
 * secret is derived from, too, and that is forgotten then: whoever learns a key cannot read what
 * was sent under those before it.
 */
final class TrafficKey {
  private byte[] secret;
  private Aead aead;

  /** How many messages this key has been used for. */
  private long used;

  TrafficKey(byte[] secret) {
    this.secret = secret;
    this.aead = aead(secret);
  }

  private static Aead aead(byte[] secret) {
    return new Aead(
        derive(secret, "sfs1 key", Aead.KEY_BYTES), derive(secret, "sfs1 iv", Aead.NONCE_BYTES));
  }

  /** Derives bytes for a purpose that has a name. */
  static byte[] derive(byte[] secret, String label, int length, byte... context) {
    byte[] name = label.getBytes(StandardCharsets.US_ASCII);
    return Hkdf.expand(secret, Records.concat(name, context), length);
  }

  /** Takes the next key in place of this one. */
  void advance() {
    secret = derive(secret, "sfs1 next", Hkdf.HASH_BYTES);
    aead = aead(secret);
    used = 0;
  }

  long used() {
    return used;
  }

  int seal(byte[] header, byte[] message, int length, ByteBuffer target) {
    return aead.seal(used++, header, message, length, target);
  }

  byte[] open(byte[] header, byte[] source, int at, int length) throws ProtocolViolation {
    byte[] message = aead.open(used, header, source, at, length);
    used++;
    return message;
  }
}
