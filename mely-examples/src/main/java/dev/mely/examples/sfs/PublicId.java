package dev.mely.examples.sfs;

import java.security.GeneralSecurityException;
import java.security.Signature;
import java.util.Base64;

/**
 * An identity: an Ed25519 public key (RFC 8032). As text, in a path or a list of clients, it is 43
 * characters of base64url (RFC 4648, section 5).
 *
 * @param text the 43 characters
 */
record PublicId(String text) {
  static final int BYTES = RawKey.BYTES;
  static final int SIGNATURE_BYTES = 64;
  private static final int TEXT_LENGTH = 43;

  static PublicId of(byte[] raw) {
    if (raw.length != BYTES) {
      throw new IllegalArgumentException("a key has 32 bytes, not " + raw.length);
    }
    return new PublicId(Base64.getUrlEncoder().withoutPadding().encodeToString(raw));
  }

  /**
   * Parses the text of {@link #toString}.
   *
   * @throws IllegalArgumentException if it is not a key
   */
  static PublicId parse(String text) {
    if (text.length() == TEXT_LENGTH) {
      PublicId id = of(Base64.getUrlDecoder().decode(text));
      if (id.text().equals(text)) { // the last character has two unused bits, which must be zero
        return id;
      }
    }
    throw new IllegalArgumentException("not a key of 43 characters: '" + text + "'");
  }

  byte[] bytes() {
    return Base64.getUrlDecoder().decode(text);
  }

  /** Whether the owner of this key has signed a message. */
  boolean hasSigned(byte[] message, byte[] signature) {
    try {
      Signature check = Signature.getInstance("Ed25519");
      check.initVerify(RawKey.ED25519.read(bytes()));
      check.update(message);
      return check.verify(signature);
    } catch (GeneralSecurityException e) {
      return false; // not a point on the curve, or not a signature
    }
  }

  @Override
  public String toString() {
    return text;
  }
}
