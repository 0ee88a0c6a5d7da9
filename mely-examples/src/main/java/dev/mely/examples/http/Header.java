package dev.mely.examples.http;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The fields of a message, in their order. Immutable.
 *
 * @param lines one for each line
 */
public record Header(List<Header.Line> lines) {
  /** No field. */
  public static final Header EMPTY = new Header(List.of());

  /**
   * One line.
   *
   * @param name as written; names are compared case-insensitively
   * @param value without leading and trailing blanks
   */
  public record Line(String name, String value) {
    /** Parses a line; refuses a blank at its start or before the colon, as RFC 9112 requires. */
    static Line parse(String text) throws Malformed {
      int colon = text.indexOf(':');
      if (colon <= 0 || !Characters.isToken(text.substring(0, colon))) {
        throw new Malformed("a line of the header is not a field");
      }
      int from = colon + 1;
      int to = text.length();
      while (from < to && Characters.isBlank(text.charAt(from))) {
        from++;
      }
      while (to > from && Characters.isBlank(text.charAt(to - 1))) {
        to--;
      }
      String value = text.substring(from, to);
      if (!Characters.isText(value)) {
        throw new Malformed("a field contains control characters");
      }
      return new Line(text.substring(0, colon), value);
    }

    boolean is(String other) {
      return name.equalsIgnoreCase(other);
    }
  }

  /** Fields of one connection, never forwarded (RFC 9110, section 7.6.1). */
  private static final Set<String> HOP_BY_HOP =
      Set.of(
          "connection",
          "keep-alive",
          "proxy-connection",
          "proxy-authenticate",
          "proxy-authorization",
          "proxy-authentication-info",
          "te",
          "trailer",
          "transfer-encoding",
          "upgrade");

  /** Copies the lines. */
  public Header {
    lines = List.copyOf(lines);
  }

  /** The value of the first line of a field; null if there is none. */
  public @Nullable String get(String name) {
    for (Line line : lines) {
      if (line.is(name)) {
        return line.value();
      }
    }
    return null;
  }

  /** The values of all lines of a field. */
  public List<String> all(String name) {
    List<String> values = new ArrayList<>(1);
    for (Line line : lines) {
      if (line.is(name)) {
        values.add(line.value());
      }
    }
    return values;
  }

  /** Whether there is such a field. */
  public boolean contains(String name) {
    return get(name) != null;
  }

  /** The members of a comma-separated list field without quoted strings; may include empty ones. */
  public List<String> members(String name) {
    List<String> members = new ArrayList<>();
    for (String value : all(name)) {
      for (String member : value.split(",", -1)) {
        members.add(member.strip());
      }
    }
    return members;
  }

  /** The members in lower case, without empty ones. */
  public List<String> tokens(String name) {
    List<String> tokens = members(name);
    tokens.removeIf(String::isEmpty);
    tokens.replaceAll(token -> token.toLowerCase(Locale.ROOT));
    return tokens;
  }

  /**
   * The value of Content-Length, which must be given once, and in digits.
   *
   * @return bytes; negative if there is no such field
   */
  public long contentLength() throws Malformed {
    List<String> lengths = all("content-length");
    if (lengths.isEmpty()) {
      return -1;
    }
    String digits = lengths.get(0);
    if (lengths.size() == 1 && Characters.isNumber(digits)) {
      try {
        return Long.parseLong(digits);
      } catch (NumberFormatException tooLarge) {
        throw new Malformed("the length of the body is too large");
      }
    }
    throw new Malformed("Content-Length is not a number, or given several times");
  }

  /**
   * What is wrong with a request's Host field: HTTP/1.1 requires exactly one, HTTP/1.0 at most one.
   *
   * @return a sentence; null if nothing is wrong
   */
  public @Nullable String hostFault(int minor) {
    List<String> hosts = all("host");
    if (hosts.size() > 1 || (hosts.isEmpty() && minor > 0)) {
      return "A request must have one Host header.";
    }
    return hosts.isEmpty() || HostPort.isValid(hosts.get(0))
        ? null
        : "The Host header is not a host and a port.";
  }

  /** All fields except those with these names, given in lower case. */
  public Header without(Set<String> names) {
    return new Header(
        lines.stream()
            .filter(line -> !names.contains(line.name().toLowerCase(Locale.ROOT)))
            .toList());
  }

  /** These fields and one more. */
  public Header with(String name, String value) {
    List<Line> more = new ArrayList<>(lines);
    more.add(new Line(name, value));
    return new Header(more);
  }

  /** These fields, replaced by the newer header's fields of the same names. */
  public Header updatedBy(Header newer) {
    Set<String> replaced = new HashSet<>();
    newer.lines.forEach(line -> replaced.add(line.name().toLowerCase(Locale.ROOT)));
    List<Line> all = new ArrayList<>(without(replaced).lines);
    all.addAll(newer.lines);
    return new Header(all);
  }

  /** The fields to forward: without hop-by-hop fields and those that {@code Connection} names. */
  public Header endToEnd() {
    Set<String> names = new HashSet<>(HOP_BY_HOP);
    names.addAll(tokens("connection"));
    return without(names);
  }

  /** Whether {@code Connection} names a field that would otherwise be forwarded. */
  public boolean hidesFields() {
    return tokens("connection").stream()
        .anyMatch(name -> !HOP_BY_HOP.contains(name) && contains(name));
  }

  /** The bytes of a head with these fields. No parsed value can break out of its line. */
  public byte[] head(String start) {
    StringBuilder text = new StringBuilder(256).append(start).append("\r\n");
    for (Line line : lines) {
      text.append(line.name()).append(": ").append(line.value()).append("\r\n");
    }
    return text.append("\r\n").toString().getBytes(StandardCharsets.ISO_8859_1);
  }

  /** How much memory the text takes, approximately, in bytes. */
  public int weight() {
    int weight = 0;
    for (Line line : lines) {
      weight += line.name().length() + line.value().length() + 64;
    }
    return weight;
  }
}
