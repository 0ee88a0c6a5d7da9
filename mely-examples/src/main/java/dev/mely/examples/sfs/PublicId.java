package dev.mely.examples.sfs;

import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PublicKey;
import java.security.Signature;
import java.security.spec.X509EncodedKeySpec;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;

/**
 * Who somebody is: an Ed25519 public key (RFC 8032). As text, in a path or a list of clients, it is
 * 43 characters of base64 for URLs (RFC 4648, section 5).
 */
final class PublicId {
  static final int BYTES = 32;
  static final int SIGNATURE_BYTES = 64;
  private static final int TEXT_LENGTH = 43;

  /** What stands before the 32 bytes in the encoding that the JDK takes (RFC 8410). */
  private static final byte[] PREFIX = HexFormat.of().parseHex("302a300506032b6570032100");

  private final byte[] bytes;

  private PublicId(byte[] bytes) {
    this.bytes = bytes;
  }

  static PublicId of(byte[] raw) {
    if (raw.length != BYTES) {
      throw new IllegalArgumentException("a key has 32 bytes, not " + raw.length);
    }
    return new PublicId(raw.clone());
  }

  static PublicId of(PublicKey key) {
    byte[] encoded = key.getEncoded();
    return of(Arrays.copyOfRange(encoded, PREFIX.length, encoded.length));
  }

  /**
   * Reads what {@link #toString} writes.
   *
   * @throws IllegalArgumentException if it is not a key
   */
  static PublicId parse(String text) {
    if (text.length() == TEXT_LENGTH) {
      byte[] raw = Base64.getUrlDecoder().decode(text);
      PublicId id = of(raw);
      if (id.toString().equals(text)) { // the last character has two bits to spare
        return id;
      }
    }
    throw new IllegalArgumentException("not a key of 43 characters: '" + text + "'");
  }

  byte[] bytes() {
    return bytes.clone();
  }

  /** Whether the owner of this key has signed a text. */
  boolean hasSigned(byte[] text, byte[] signature) {
    try {
      byte[] encoded = Arrays.copyOf(PREFIX, PREFIX.length + BYTES);
      System.arraycopy(bytes, 0, encoded, PREFIX.length, BYTES);
      Signature check = Signature.getInstance("Ed25519");
      check.initVerify(
          KeyFactory.getInstance("Ed25519").generatePublic(new X509EncodedKeySpec(encoded)));
      check.update(text);
      return check.verify(signature);
    } catch (GeneralSecurityException e) {
      return false; // no point of the curve, or no signature
    }
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof PublicId id && Arrays.equals(bytes, id.bytes);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(bytes);
  }

  @Override
  public String toString() {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }
}
