package dev.mely.bench.server;

import dev.mely.bench.Work;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;

/** The body of each response on a stream: the time that was asked for, and a computed value. */
final class StreamAnswer {
  static final int BYTES = 2 * Long.BYTES;

  private StreamAnswer() {}

  /** Calibrates the work before the first request. */
  static void prepare() {
    compute(0);
  }

  /**
   * Works on the calling thread.
   *
   * @param micros how long, in microseconds
   */
  static byte[] compute(int micros) {
    long value = Work.spin(Work.iterations(TimeUnit.MICROSECONDS.toNanos(micros)), micros);
    return ByteBuffer.allocate(BYTES).putLong(micros).putLong(value).array();
  }

  /**
   * Checks a body; the computed value is not checked.
   *
   * @throws IOException if it does not answer a request for that time
   */
  static void check(byte[] body, int micros) throws IOException {
    if (body.length != BYTES || ByteBuffer.wrap(body).getLong() != micros) {
      throw new IOException("a request for " + micros + " µs has another answer");
    }
  }
}
