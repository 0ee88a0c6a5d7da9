package dev.mely.examples.proxy;

import dev.mely.examples.sws.Characters;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The fields of a message, in the order in which they stand there.
 *
 * @param lines one for each line
 */
record Header(List<Header.Line> lines) {
  static final Header EMPTY = new Header(List.of());

  /**
   * One line.
   *
   * @param name as it was written; names are compared without regard to case
   * @param value without the blanks around it
   */
  record Line(String name, String value) {
    /** Reads a line; a blank at its beginning or before the colon is refused, as RFC 9112 asks. */
    static Line parse(String text) throws Malformed {
      int colon = text.indexOf(':');
      if (colon <= 0 || !isToken(text.substring(0, colon))) {
        throw new Malformed("a line of the header is no field");
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
      if (!isText(value)) {
        throw new Malformed("a field has control characters in it");
      }
      return new Line(text.substring(0, colon), value);
    }

    boolean is(String other) {
      return name.equalsIgnoreCase(other);
    }
  }

  /** What belongs to one connection and is never passed on (RFC 9110, section 7.6.1). */
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

  Header {
    lines = List.copyOf(lines);
  }

  static boolean isToken(String text) {
    for (int i = 0; i < text.length(); i++) {
      if (!Characters.isToken(text.charAt(i))) {
        return false;
      }
    }
    return !text.isEmpty();
  }

  /** Whether there is nothing in a text that could end its line, or hide something. */
  static boolean isText(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if ((c < ' ' && c != '\t') || c == 0x7f) {
        return false;
      }
    }
    return true;
  }

  /** The value of the first line of a field; null: there is none. */
  @Nullable String get(String name) {
    for (Line line : lines) {
      if (line.is(name)) {
        return line.value();
      }
    }
    return null;
  }

  /** The values of all lines of a field. */
  List<String> all(String name) {
    List<String> values = new ArrayList<>(1);
    for (Line line : lines) {
      if (line.is(name)) {
        values.add(line.value());
      }
    }
    return values;
  }

  boolean contains(String name) {
    return get(name) != null;
  }

  /** The members of a field that is a list without quoted strings, in lower case. */
  List<String> tokens(String name) {
    List<String> tokens = new ArrayList<>();
    for (String value : all(name)) {
      for (String token : value.split(",", -1)) {
        if (!token.isBlank()) {
          tokens.add(token.strip().toLowerCase(Locale.ROOT));
        }
      }
    }
    return tokens;
  }

  /** All fields but those of these names, which are in lower case. */
  Header without(Set<String> names) {
    return filtered(line -> !names.contains(line.name().toLowerCase(Locale.ROOT)));
  }

  private Header filtered(Predicate<Line> kept) {
    return new Header(lines.stream().filter(kept).toList());
  }

  /** The same with one more field. */
  Header with(String name, String value) {
    List<Line> more = new ArrayList<>(lines);
    more.add(new Line(name, value));
    return new Header(more);
  }

  /** The same with all fields of another one in the place of those of their names. */
  Header updatedBy(Header newer) {
    Set<String> replaced = new HashSet<>();
    newer.lines.forEach(line -> replaced.add(line.name().toLowerCase(Locale.ROOT)));
    List<Line> all = new ArrayList<>(without(replaced).lines);
    all.addAll(newer.lines);
    return new Header(all);
  }

  /** What is passed on: without hop-by-hop fields, and those that {@code Connection} names. */
  Header endToEnd() {
    Set<String> names = new HashSet<>(HOP_BY_HOP);
    names.addAll(tokens("connection"));
    return without(names);
  }

  /** Whether {@code Connection} names a field that would otherwise be passed on. */
  boolean hidesFields() {
    return tokens("connection").stream()
        .anyMatch(name -> !HOP_BY_HOP.contains(name) && contains(name));
  }

  /** How much memory the text takes, about. */
  int weight() {
    int weight = 0;
    for (Line line : lines) {
      weight += line.name().length() + line.value().length() + 64;
    }
    return weight;
  }
}
