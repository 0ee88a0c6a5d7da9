package dev.mely.examples.proxy;

import dev.mely.examples.http.Characters;
import dev.mely.examples.http.Header;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The directives of {@code Cache-Control} (RFC 9111, section 5.2). An invalid directive counts as
 * the strictest one that it could be.
 */
final class CacheControl {
  /** The largest number of seconds; larger ones are cut to it (RFC 9111, section 1.2.2). */
  static final long FOREVER = 1L << 31;

  /** Empty members are skipped. */
  private static final Pattern DIRECTIVE =
      Pattern.compile(
          "[, \t]*+(?:(?<name>N)(?:=(?:(?<token>N)|Q))?+[ \t]*+(?:,|\\z)|\\z)"
              .replace("N", "[!#$%&'*+.^_`|~0-9A-Za-z-]++")
              .replace("Q", "\"(?<quoted>(?:[^\"\\\\]|\\\\.)*+)\""),
          Pattern.DOTALL);

  private static final Pattern ESCAPE = Pattern.compile("\\\\(.)", Pattern.DOTALL);

  /** Neither serve from the cache without validation, nor store. */
  static final CacheControl NOTHING_CACHED =
      new CacheControl(Map.of("no-store", List.of(), "no-cache", List.of()));

  /** The values of each directive; an empty list for one without a value. */
  private final Map<String, List<String>> directives;

  private CacheControl(Map<String, List<String>> directives) {
    this.directives = directives;
  }

  /** The directives of a response. */
  static CacheControl of(Header header) {
    List<String> lines = header.all("cache-control");
    Map<String, List<String>> directives = new HashMap<>();
    for (String line : lines) {
      if (!parse(line, directives)) {
        return NOTHING_CACHED;
      }
    }
    return new CacheControl(directives);
  }

  /** The directives of a request; without any, {@code Pragma: no-cache} counts (section 5.4). */
  static CacheControl ofRequest(Header header) {
    if (!header.contains("cache-control") && header.tokens("pragma").contains("no-cache")) {
      return new CacheControl(Map.of("no-cache", List.of()));
    }
    return of(header);
  }

  private static boolean parse(String line, Map<String, List<String>> directives) {
    Matcher next = DIRECTIVE.matcher(line);
    for (int at = 0; at < line.length(); at = next.end()) {
      if (!next.region(at, line.length()).lookingAt()) {
        return false;
      }
      String name = next.group("name");
      if (name != null) {
        List<String> values =
            directives.computeIfAbsent(name.toLowerCase(Locale.ROOT), n -> new ArrayList<>(1));
        String token = next.group("token");
        String quoted = next.group("quoted");
        if (token != null) {
          values.add(token);
        } else if (quoted != null) {
          values.add(ESCAPE.matcher(quoted).replaceAll("$1"));
        }
      }
    }
    return true;
  }

  boolean has(String name) {
    return directives.containsKey(name);
  }

  /** Whether a directive is present, without a value. */
  boolean isBare(String name) {
    return has(name) && directives.getOrDefault(name, List.of()).isEmpty();
  }

  /**
   * The value of a directive that is present.
   *
   * @param wrong the result for a value that is not a number, and for several different values
   * @return seconds, 0 to {@link #FOREVER}
   */
  long seconds(String name, long wrong) {
    List<String> values = directives.getOrDefault(name, List.of());
    if (values.isEmpty() || values.stream().distinct().count() > 1) {
      return wrong;
    }
    return parseSeconds(values.get(0), wrong);
  }

  /** Delta-seconds (RFC 9111, section 1.2.2). */
  static long parseSeconds(String digits, long wrong) {
    if (!Characters.isNumber(digits)) {
      return wrong;
    }
    return digits.length() > 10 ? FOREVER : Math.min(FOREVER, Long.parseLong(digits));
  }
}
