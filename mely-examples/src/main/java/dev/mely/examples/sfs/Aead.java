package dev.mely.examples.sfs;

import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * ChaCha20-Poly1305 (RFC 8439) with one key. The nonce of a message is the key's own 12 bytes, the
 * last 8 of them combined with the message's number by exclusive or. Not thread-safe: it belongs to
 * the color of its connection.
 */
final class Aead {
  static final int KEY_BYTES = 32;
  static final int NONCE_BYTES = 12;
  static final int TAG_BYTES = 16;

  private final Cipher cipher;
  private final SecretKeySpec key;
  private final byte[] nonce;

  Aead(byte[] key, byte[] nonce) {
    this.key = new SecretKeySpec(key, "ChaCha20");
    this.nonce = nonce.clone();
    try {
      this.cipher = Cipher.getInstance("ChaCha20-Poly1305");
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK has ChaCha20-Poly1305", e);
    }
  }

  /**
   * Encrypts a message and appends its tag.
   *
   * @param number of the message; never twice with one key
   * @param associated what the tag covers beside the message
   * @return how many bytes were written
   */
  int seal(long number, byte[] associated, byte[] message, int length, ByteBuffer target) {
    try {
      start(Cipher.ENCRYPT_MODE, number, associated);
      return cipher.doFinal(ByteBuffer.wrap(message, 0, length), target);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("a message could not be encrypted", e);
    }
  }

  /**
   * Decrypts a message.
   *
   * @throws ProtocolViolation if the tag is not that of this very message, with this number
   */
  byte[] open(long number, byte[] associated, byte[] source, int at, int length)
      throws ProtocolViolation {
    if (length < TAG_BYTES) {
      throw new ProtocolViolation("a message without a tag");
    }
    try {
      start(Cipher.DECRYPT_MODE, number, associated);
      return cipher.doFinal(source, at, length);
    } catch (AEADBadTagException e) {
      throw new ProtocolViolation("a message was changed, repeated, left out or moved on its way");
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("a message could not be decrypted", e);
    }
  }

  private void start(int mode, long number, byte[] associated) throws GeneralSecurityException {
    ByteBuffer ours = ByteBuffer.wrap(nonce.clone());
    ours.putLong(4, ours.getLong(4) ^ number);
    cipher.init(mode, key, new IvParameterSpec(ours.array()));
    cipher.updateAAD(associated);
  }
}
