package dev.mely.examples.proxy;

import dev.mely.examples.http.Characters;
import dev.mely.examples.http.Header;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The directives of {@code Cache-Control} (RFC 9111, section 5.2). What cannot be read is taken for
 * the strictest that it could be.
 */
final class CacheControl {
  /** The largest number of seconds; larger ones mean the same (RFC 9111, section 1.2.2). */
  static final long FOREVER = 1L << 31;

  /** Neither answered from the cache without asking, nor stored. */
  static final CacheControl NOTHING_CACHED =
      new CacheControl(Map.of("no-store", List.of(), "no-cache", List.of()));

  /** The values of each directive; an empty list: it has none. */
  private final Map<String, List<String>> directives;

  private CacheControl(Map<String, List<String>> directives) {
    this.directives = directives;
  }

  /** Those of a response. */
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

  /** Those of a request: without any, {@code Pragma: no-cache} counts (section 5.4). */
  static CacheControl ofRequest(Header header) {
    if (!header.contains("cache-control") && header.tokens("pragma").contains("no-cache")) {
      return new CacheControl(Map.of("no-cache", List.of()));
    }
    return of(header);
  }

  private static boolean parse(String line, Map<String, List<String>> directives) {
    int at = 0;
    while (at < line.length()) {
      char c = line.charAt(at);
      if (c == ',' || c == ' ' || c == '\t') {
        at++;
        continue;
      }
      int end = at;
      while (end < line.length() && "=, \t".indexOf(line.charAt(end)) < 0) {
        end++;
      }
      String name = line.substring(at, end).toLowerCase(Locale.ROOT);
      if (!Characters.isToken(name)) {
        return false;
      }
      List<String> values = directives.computeIfAbsent(name, n -> new ArrayList<>(1));
      at = end;
      if (at < line.length() && line.charAt(at) == '=') {
        at = value(line, at + 1, values);
        if (at < 0) {
          return false;
        }
      }
      while (at < line.length() && (line.charAt(at) == ' ' || line.charAt(at) == '\t')) {
        at++;
      }
      if (at < line.length() && line.charAt(at) != ',') {
        return false;
      }
    }
    return true;
  }

  /** Reads a token or a quoted string, and returns where it ends; negative: it is neither. */
  private static int value(String line, int from, List<String> values) {
    int at = from;
    if (at < line.length() && line.charAt(at) == '"') {
      StringBuilder text = new StringBuilder();
      for (at++; at < line.length() && line.charAt(at) != '"'; at++) {
        if (line.charAt(at) == '\\') {
          at++;
        }
        if (at < line.length()) {
          text.append(line.charAt(at));
        }
      }
      values.add(text.toString());
      return at < line.length() ? at + 1 : -1;
    }
    while (at < line.length() && ", \t".indexOf(line.charAt(at)) < 0) {
      at++;
    }
    String token = line.substring(from, at);
    values.add(token);
    return Characters.isToken(token) ? at : -1;
  }

  boolean has(String name) {
    return directives.containsKey(name);
  }

  /** Whether a directive stands there without a value. */
  boolean isBare(String name) {
    return has(name) && directives.getOrDefault(name, List.of()).isEmpty();
  }

  /**
   * The value of a directive that is there.
   *
   * @param wrong what it means if it is no number, or there are several that differ
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
