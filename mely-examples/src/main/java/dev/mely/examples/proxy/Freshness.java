package dev.mely.examples.proxy;

import dev.mely.examples.http.Header;
import dev.mely.examples.http.HttpClock;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Age and lifetime of a response (RFC 9111, section 4.2). In seconds. */
final class Freshness {
  /**
   * Heuristic lifetime without an explicit one: a tenth of the time since the last change, at most
   * a day (section 4.2.2).
   */
  private static final long HEURISTIC_PART = 10;

  private static final long HEURISTIC_MOST = 86_400;

  private static final long NO_DATE = Long.MIN_VALUE;

  private Freshness() {}

  /**
   * The lifetime of a response.
   *
   * @param header of the response
   * @param wishes its Cache-Control
   * @param guess whether to use the heuristic; not for a URL with a query, which often calls a
   *     program
   * @param received when it came
   */
  static long lifetime(Header header, CacheControl wishes, boolean guess, long received) {
    for (String directive : List.of("s-maxage", "max-age")) {
      if (wishes.has(directive)) {
        return wishes.seconds(directive, 0);
      }
    }
    long date = date(header, received);
    List<String> expires = header.all("expires");
    if (!expires.isEmpty()) {
      // "0", or another invalid date, counts as passed (section 5.3).
      long end = expires.size() > 1 ? NO_DATE : parse(expires.get(0));
      return end == NO_DATE ? 0 : Math.min(CacheControl.FOREVER, Math.max(0, end - date));
    }
    long modified = parse(header.get("last-modified"));
    if (modified == NO_DATE || !guess) {
      return 0;
    }
    return Math.min(HEURISTIC_MOST, Math.max(0, date - modified) / HEURISTIC_PART);
  }

  /** Whether the origin has given a lifetime. */
  static boolean isExplicit(Header header, CacheControl wishes) {
    return wishes.has("s-maxage") || wishes.has("max-age") || header.contains("expires");
  }

  /**
   * The age of a response on arrival (section 4.2.3).
   *
   * @param requested when the request was sent
   * @param received when the response arrived
   */
  static long initialAge(Header header, long requested, long received) {
    long apparent = Math.max(0, received - date(header, received));
    String age = header.get("age");
    // An invalid Age is ignored (section 5.1).
    long told = age == null ? 0 : CacheControl.parseSeconds(age, 0);
    long corrected = told + Math.max(0, received - requested);
    return Math.min(CacheControl.FOREVER, Math.max(apparent, corrected));
  }

  /** The Date field; without one, the time of arrival. */
  private static long date(Header header, long received) {
    long date = parse(header.get("date"));
    return date == NO_DATE ? received : date;
  }

  /** Whether a text is a date. */
  static boolean isDate(@Nullable String text) {
    return parse(text) != NO_DATE;
  }

  private static long parse(@Nullable String text) {
    return HttpClock.parse(text, NO_DATE);
  }
}
