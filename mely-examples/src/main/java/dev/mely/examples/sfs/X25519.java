package dev.mely.examples.sfs;

import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import javax.crypto.KeyAgreement;

/** A key pair for one Diffie-Hellman exchange (RFC 7748), thrown away after it. */
final class X25519 {
  static final int BYTES = RawKey.BYTES;
  private static final String NAME = "X25519";

  private final PrivateKey secret;
  private final byte[] publicKey;

  private X25519(KeyPair pair) {
    this.secret = pair.getPrivate();
    this.publicKey = RawKey.of(pair.getPublic());
  }

  static X25519 generate() {
    try {
      return new X25519(KeyPairGenerator.getInstance(NAME).generateKeyPair());
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK has " + NAME, e);
    }
  }

  /** The 32 bytes to send. */
  byte[] publicKey() {
    return publicKey.clone();
  }

  /**
   * Computes the shared secret.
   *
   * @param other 32 bytes that the other side has sent
   * @throws ProtocolViolation if they leave the secret no choice (points of small order)
   */
  byte[] agree(byte[] other) throws ProtocolViolation {
    return agree(secret, other);
  }

  static byte[] agree(PrivateKey secret, byte[] other) throws ProtocolViolation {
    try {
      KeyAgreement agreement = KeyAgreement.getInstance(NAME);
      agreement.init(secret);
      agreement.doPhase(RawKey.X25519.read(other), true); // refuses points of small order
      return agreement.generateSecret();
    } catch (GeneralSecurityException e) {
      throw new ProtocolViolation("no key for X25519: " + e.getMessage());
    }
  }
}
