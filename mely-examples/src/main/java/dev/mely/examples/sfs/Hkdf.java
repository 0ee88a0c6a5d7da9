package dev.mely.examples.sfs;

import java.security.GeneralSecurityException;
import java.util.Arrays;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** HKDF with HMAC-SHA-256 (RFC 5869), which JDK 17 does not have. */
final class Hkdf {
  static final int HASH_BYTES = 32;
  private static final String HMAC = "HmacSHA256";

  private Hkdf() {}

  /** Extracts a uniform key from a secret that is not uniformly random, such as X25519's. */
  static byte[] extract(byte[] salt, byte[] secret) {
    return hmac(salt.length == 0 ? new byte[HASH_BYTES] : salt).doFinal(secret);
  }

  /**
   * Derives bytes for one purpose.
   *
   * @param key from {@link #extract}
   * @param info the purpose
   * @param length in bytes, at most 32: the first block of RFC 5869 is enough here
   */
  static byte[] expand(byte[] key, byte[] info, int length) {
    if (length > HASH_BYTES) {
      throw new IllegalArgumentException("too many bytes to derive: " + length);
    }
    byte[] block = hmac(key).doFinal(Records.concat(info, new byte[] {1}));
    return Arrays.copyOf(block, length);
  }

  private static Mac hmac(byte[] key) {
    try {
      Mac mac = Mac.getInstance(HMAC);
      mac.init(new SecretKeySpec(key, HMAC));
      return mac;
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK has " + HMAC, e);
    }
  }
}
