package dev.mely.examples.kv;

import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Arrays;

/** Bytes as a key of a map. They must not change. */
final class Bytes implements Comparable<Bytes> {
  private static final SipHash HASH = random();

  final byte[] bytes;
  private final int hash;

  Bytes(byte[] bytes) {
    this.bytes = bytes;
    this.hash = (int) HASH.hash(bytes);
  }

  private static SipHash random() {
    SecureRandom random = new SecureRandom();
    return new SipHash(random.nextLong(), random.nextLong());
  }

  static byte[] of(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Bytes that && hash == that.hash && Arrays.equals(bytes, that.bytes);
  }

  @Override
  public int hashCode() {
    return hash;
  }

  /** Lets a map find its way where hashes are equal. */
  @Override
  public int compareTo(Bytes that) {
    return Arrays.compare(bytes, that.bytes);
  }

  @Override
  public String toString() {
    return new String(bytes, StandardCharsets.UTF_8);
  }
}
