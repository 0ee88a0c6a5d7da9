package dev.mely.examples.sfs;

import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PublicKey;
import java.security.spec.X509EncodedKeySpec;
import java.util.Arrays;
import java.util.HexFormat;

/** The 32 bytes of a public key on the wire; the JDK takes them with a prefix (RFC 8410). */
enum RawKey {
  ED25519("302a300506032b6570032100"),
  X25519("302a300506032b656e032100");

  static final int BYTES = 32;

  private final String prefix;

  RawKey(String prefix) {
    this.prefix = prefix;
  }

  PublicKey read(byte[] raw) throws GeneralSecurityException {
    byte[] encoded = Records.concat(HexFormat.of().parseHex(prefix), raw);
    return KeyFactory.getInstance(name()).generatePublic(new X509EncodedKeySpec(encoded));
  }

  static byte[] of(PublicKey key) {
    byte[] encoded = key.getEncoded();
    return Arrays.copyOfRange(encoded, encoded.length - BYTES, encoded.length);
  }
}
