package dev.mely.examples.sfs;

import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.spec.X509EncodedKeySpec;
import java.util.Arrays;
import java.util.HexFormat;
import javax.crypto.KeyAgreement;

/**
 * The kinds of keys. A public key has 32 bytes on the wire, to which the JDK's form adds a prefix
 * (RFC 8410).
 */
enum RawKey {
  /** For signatures (RFC 8032). */
  ED25519("302a300506032b6570032100"),

  /** For one Diffie-Hellman exchange (RFC 7748); used once. */
  X25519("302a300506032b656e032100");

  static final int BYTES = 32;

  private final String prefix;

  RawKey(String prefix) {
    this.prefix = prefix;
  }

  KeyPair generate() {
    try {
      return KeyPairGenerator.getInstance(name()).generateKeyPair();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK has " + name(), e);
    }
  }

  PublicKey read(byte[] raw) throws GeneralSecurityException {
    byte[] encoded = Records.concat(HexFormat.of().parseHex(prefix), raw);
    return KeyFactory.getInstance(name()).generatePublic(new X509EncodedKeySpec(encoded));
  }

  static byte[] of(PublicKey key) {
    byte[] encoded = key.getEncoded();
    return Arrays.copyOfRange(encoded, encoded.length - BYTES, encoded.length);
  }

  /**
   * Computes the secret that two owners of X25519 keys share.
   *
   * @param other 32 bytes that the other side has sent
   * @throws ProtocolViolation for a point of small order, with which the secret would be a constant
   */
  static byte[] agree(PrivateKey own, byte[] other) throws ProtocolViolation {
    try {
      KeyAgreement agreement = KeyAgreement.getInstance(X25519.name());
      agreement.init(own);
      agreement.doPhase(X25519.read(other), true); // refuses points of small order
      return agreement.generateSecret();
    } catch (GeneralSecurityException e) {
      throw new ProtocolViolation("no key for X25519: " + e.getMessage());
    }
  }
}
