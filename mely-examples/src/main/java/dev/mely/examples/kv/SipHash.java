package dev.mely.examples.kv;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * SipHash-1-3 (J.-P. Aumasson, D. J. Bernstein): a hash with a key, so that nobody who does not
 * know it can send names that all fall into one place. Immutable.
 */
final class SipHash {
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private final long k0;
  private final long k1;

  SipHash(long k0, long k1) {
    this.k0 = k0;
    this.k1 = k1;
  }

  long hash(byte[] bytes) {
    long v0 = k0 ^ 0x736f6d6570736575L;
    long v1 = k1 ^ 0x646f72616e646f6dL;
    long v2 = k0 ^ 0x6c7967656e657261L;
    long v3 = k1 ^ 0x7465646279746573L;
    int whole = bytes.length & ~7;
    for (int at = 0; ; at += 8) {
      boolean last = at == whole;
      long m = last ? tail(bytes, at) : (long) LONG.get(bytes, at);
      v3 ^= m;
      // One round a word, three at the end.
      for (int rounds = last ? 0 : 3; rounds < 4; rounds++) {
        v0 += v1;
        v1 = Long.rotateLeft(v1, 13) ^ v0;
        v0 = Long.rotateLeft(v0, 32);
        v2 += v3;
        v3 = Long.rotateLeft(v3, 16) ^ v2;
        v0 += v3;
        v3 = Long.rotateLeft(v3, 21) ^ v0;
        v2 += v1;
        v1 = Long.rotateLeft(v1, 17) ^ v2;
        v2 = Long.rotateLeft(v2, 32);
        if (last && rounds == 0) {
          v0 ^= m;
          v2 ^= 0xff;
        }
      }
      if (!last) {
        v0 ^= m;
      } else {
        return v0 ^ v1 ^ v2 ^ v3;
      }
    }
  }

  /** What is left, and the length. */
  private static long tail(byte[] bytes, int from) {
    long m = (long) bytes.length << 56;
    for (int i = bytes.length - 1; i >= from; i--) {
      m |= (bytes[i] & 0xffL) << (8 * (i - from));
    }
    return m;
  }
}
