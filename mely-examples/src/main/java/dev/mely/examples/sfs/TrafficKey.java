package dev.mely.examples.sfs;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * The key of one direction for ChaCha20-Poly1305 (RFC 8439), and its successors. The nonce of a
 * message is the key's own 12 bytes, the last 8 of them XORed with the message's number.
 *
 * <p>Each key and the secret of its successor are derived from a secret that is then deleted. So
 * earlier keys cannot be computed from a later one (forward secrecy).
 *
 * <p>Belongs to the color of its connection.
 */
final class TrafficKey {
  static final int TAG_BYTES = 16;
  private static final int KEY_BYTES = 32;
  private static final int NONCE_BYTES = 12;

  private final Cipher cipher;
  private final byte[] secret;
  private final SecretKeySpec key;
  private final byte[] nonce;

  /** The number of the next message. */
  private long used;

  TrafficKey(byte[] secret) {
    this(derive(secret, "sfs1 key", KEY_BYTES), derive(secret, "sfs1 iv", NONCE_BYTES), secret);
  }

  /** Takes a key, its nonce, and the secret from which its successor is derived. */
  TrafficKey(byte[] key, byte[] nonce, byte[] secret) {
    this.secret = secret;
    this.key = new SecretKeySpec(key, "ChaCha20");
    this.nonce = nonce;
    try {
      this.cipher = Cipher.getInstance("ChaCha20-Poly1305");
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK has ChaCha20-Poly1305", e);
    }
  }

  /** Derives bytes for a named purpose. */
  static byte[] derive(byte[] secret, String label, int length, byte... context) {
    byte[] name = label.getBytes(StandardCharsets.US_ASCII);
    return Hkdf.expand(secret, Records.concat(name, context), length);
  }

  /** The key that comes after this one. */
  TrafficKey next() {
    return new TrafficKey(derive(secret, "sfs1 next", Hkdf.HASH_BYTES));
  }

  /** How many messages this key has been used for. */
  long used() {
    return used;
  }

  /**
   * Encrypts a message and appends its tag.
   *
   * @param associated data that the tag covers in addition to the message
   * @return how many bytes were written
   */
  int seal(byte[] associated, byte[] message, ByteBuffer target) {
    try {
      start(Cipher.ENCRYPT_MODE, associated);
      return cipher.doFinal(ByteBuffer.wrap(message), target);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("a message could not be encrypted", e);
    }
  }

  /**
   * Decrypts a message.
   *
   * @throws ProtocolViolation if the tag does not match this message with this number
   */
  byte[] open(byte[] associated, byte[] source, int at, int length) throws ProtocolViolation {
    if (length < TAG_BYTES) {
      throw new ProtocolViolation("a message without a tag");
    }
    try {
      start(Cipher.DECRYPT_MODE, associated);
      return cipher.doFinal(source, at, length);
    } catch (AEADBadTagException e) {
      throw new ProtocolViolation("a message was modified, repeated, lost or reordered on its way");
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("a message could not be decrypted", e);
    }
  }

  private void start(int mode, byte[] associated) throws GeneralSecurityException {
    ByteBuffer ours = ByteBuffer.wrap(nonce.clone());
    ours.putLong(4, ours.getLong(4) ^ used++);
    cipher.init(mode, key, new IvParameterSpec(ours.array()));
    cipher.updateAAD(associated);
  }
}
