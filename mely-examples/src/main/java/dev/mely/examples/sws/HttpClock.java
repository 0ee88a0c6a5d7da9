package dev.mely.examples.sws;

import io.netty.handler.codec.DateFormatter;
import java.nio.charset.StandardCharsets;
import java.util.Date;

/** The time in whole seconds, and its {@code date} header, made once a second. */
final class HttpClock {
  // Immutable, so that a racy update costs at most one more formatting.
  private static volatile HttpClock current = new HttpClock(0);

  private final long second;
  private final String date;
  private final byte[] line;

  private HttpClock(long second) {
    this.second = second;
    this.date = format(second);
    this.line = ("date: " + date + "\r\n").getBytes(StandardCharsets.US_ASCII);
  }

  static HttpClock now() {
    long second = System.currentTimeMillis() / 1000;
    HttpClock clock = current;
    if (clock.second != second) {
      clock = new HttpClock(second);
      current = clock;
    }
    return clock;
  }

  /** A time as HTTP writes it. */
  @SuppressWarnings("JavaUtilDate") // what Netty's formatter takes
  static String format(long epochSecond) {
    return DateFormatter.format(new Date(epochSecond * 1000));
  }

  /** Seconds since the epoch. */
  long second() {
    return second;
  }

  /** The value of the header. */
  String date() {
    return date;
  }

  /** The header with its name and line end; not to be written to. */
  byte[] line() {
    return line;
  }
}
