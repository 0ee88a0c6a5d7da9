package dev.mely.examples.sfs;

import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.interfaces.XECPublicKey;
import java.security.spec.NamedParameterSpec;
import java.security.spec.XECPublicKeySpec;
import javax.crypto.KeyAgreement;

/** A key pair for one Diffie-Hellman exchange (RFC 7748), thrown away after it. */
final class X25519 {
  static final int BYTES = 32;
  private static final String NAME = "X25519";

  private final PrivateKey secret;
  private final byte[] publicKey;

  private X25519(PrivateKey secret, byte[] publicKey) {
    this.secret = secret;
    this.publicKey = publicKey;
  }

  static X25519 generate() {
    try {
      KeyPair pair = KeyPairGenerator.getInstance(NAME).generateKeyPair();
      return new X25519(pair.getPrivate(), littleEndian(((XECPublicKey) pair.getPublic()).getU()));
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
    byte[] shared;
    try {
      KeyAgreement agreement = KeyAgreement.getInstance(NAME);
      agreement.init(secret);
      agreement.doPhase(
          KeyFactory.getInstance(NAME)
              .generatePublic(new XECPublicKeySpec(NamedParameterSpec.X25519, number(other))),
          true);
      shared = agreement.generateSecret();
    } catch (GeneralSecurityException e) {
      throw new ProtocolViolation("no key for X25519: " + e.getMessage());
    }
    int any = 0;
    for (byte b : shared) {
      any |= b;
    }
    if (any == 0) { // RFC 7748, section 6.1; the JDK checks it too
      throw new ProtocolViolation("a point of small order");
    }
    return shared;
  }

  /** RFC 7748, section 5: little-endian, the top bit ignored. */
  private static BigInteger number(byte[] littleEndian) {
    byte[] bigEndian = new byte[BYTES];
    for (int i = 0; i < BYTES; i++) {
      bigEndian[i] = littleEndian[BYTES - 1 - i];
    }
    bigEndian[0] &= 0x7f;
    return new BigInteger(1, bigEndian);
  }

  private static byte[] littleEndian(BigInteger number) {
    byte[] bigEndian = number.toByteArray();
    byte[] result = new byte[BYTES];
    for (int i = 0; i < Math.min(BYTES, bigEndian.length); i++) {
      result[i] = bigEndian[bigEndian.length - 1 - i];
    }
    return result;
  }
}
