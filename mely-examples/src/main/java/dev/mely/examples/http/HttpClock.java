package dev.mely.examples.http;

import java.nio.charset.StandardCharsets;
import java.text.ParsePosition;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.temporal.ChronoField;
import java.util.Locale;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** The time in whole seconds, with its {@code date} header, formatted once a second. */
public final class HttpClock {
  private static final DateTimeFormatter WRITTEN =
      DateTimeFormatter.ofPattern("EEE, dd MMM uuuu HH:mm:ss 'GMT'", Locale.ROOT)
          .withZone(ZoneOffset.UTC);

  private static final DateTimeFormatter PREFERRED =
      form("EEE, d MMM uuuu HH:mm:ss 'GMT'").toFormatter(Locale.US);

  private static final DateTimeFormatter ASCTIME =
      form("EEE MMM ppd HH:mm:ss uuuu").toFormatter(Locale.US);

  /** A two-digit year is one of the last 49 or the next 50 (RFC 9110, section 5.6.7). */
  private static DateTimeFormatter rfc850() {
    LocalDate first = LocalDate.ofInstant(Instant.now(), ZoneOffset.UTC).minusYears(49);
    return form("EEEE, d-MMM-")
        .appendValueReduced(ChronoField.YEAR, 2, 2, first)
        .appendPattern(" HH:mm:ss 'GMT'")
        .toFormatter(Locale.US);
  }

  /** In English, since the root locale has no long day names. */
  private static DateTimeFormatterBuilder form(String pattern) {
    return new DateTimeFormatterBuilder().parseCaseInsensitive().appendPattern(pattern);
  }

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

  /**
   * Returns the time.
   *
   * @return the current second
   */
  public static HttpClock now() {
    long second = System.currentTimeMillis() / 1000;
    HttpClock clock = current;
    if (clock.second != second) {
      clock = new HttpClock(second);
      current = clock;
    }
    return clock;
  }

  /**
   * Formats a time as HTTP writes it.
   *
   * @param epochSecond seconds since the epoch
   * @return for example {@code Sun, 06 Nov 1994 08:49:37 GMT}
   */
  public static String format(long epochSecond) {
    return WRITTEN.format(Instant.ofEpochSecond(epochSecond));
  }

  /**
   * Reads a time in any of the three forms in which HTTP has it (RFC 9110, section 5.6.7).
   *
   * @param text as sent; null if there is none
   * @param otherwise what to return for null and for a text that is not a date
   * @return seconds since the epoch, or {@code otherwise}
   */
  public static long parse(@Nullable String text, long otherwise) {
    if (text == null) {
      return otherwise;
    }
    String stripped = text.strip();
    OptionalLong time = parse(stripped, PREFERRED);
    if (time.isEmpty()) {
      time = parse(stripped, stripped.indexOf('-') < 0 ? ASCTIME : rfc850());
    }
    return time.orElse(otherwise);
  }

  private static OptionalLong parse(String text, DateTimeFormatter form) {
    ParsePosition at = new ParsePosition(0);
    // Fails without an exception, which would cost more than the rest of the request.
    if (form.parseUnresolved(text, at) == null || at.getIndex() != text.length()) {
      return OptionalLong.empty();
    }
    try {
      return OptionalLong.of(LocalDateTime.parse(text, form).toEpochSecond(ZoneOffset.UTC));
    } catch (DateTimeException noSuchDay) {
      return OptionalLong.empty();
    }
  }

  /**
   * Returns the time.
   *
   * @return seconds since the epoch
   */
  public long second() {
    return second;
  }

  /**
   * Returns the value of the header.
   *
   * @return the time as HTTP writes it
   */
  public String date() {
    return date;
  }

  /** The header field with its name and line end; must not be modified. */
  public byte[] line() {
    return line;
  }
}
