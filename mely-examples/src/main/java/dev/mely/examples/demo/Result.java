package dev.mely.examples.demo;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Base64;
import java.util.zip.DataFormatException;
import org.HdrHistogram.Histogram;

/**
 * What the load has measured in a turn.
 *
 * @param answers to busy requests, in the second that was measured
 * @param busy how long these took, in microseconds: a histogram in the form of {@link #encode}
 * @param light how long light requests took from when they were due, in the same form
 */
record Result(long answers, String busy, String light) {
  private static final int DIGITS = 3;

  static Histogram histogram() {
    return new Histogram(DIGITS);
  }

  static String encode(Histogram times) {
    ByteBuffer bytes = ByteBuffer.allocate(times.getNeededByteBufferCapacity());
    int length = times.encodeIntoCompressedByteBuffer(bytes);
    bytes.flip();
    return Base64.getEncoder().encodeToString(Arrays.copyOf(bytes.array(), length));
  }

  static Histogram decode(String times) {
    try {
      return Histogram.decodeFromCompressedByteBuffer(
          ByteBuffer.wrap(Base64.getDecoder().decode(times)), 0);
    } catch (DataFormatException e) {
      throw new IllegalArgumentException("no histogram: " + times, e);
    }
  }
}
