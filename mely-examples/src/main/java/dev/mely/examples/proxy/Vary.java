package dev.mely.examples.proxy;

import dev.mely.examples.http.Characters;
import dev.mely.examples.http.Header;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * What a stored response depends upon beside its URL: fields of the request for which it was the
 * answer (RFC 9111, section 4.1). Immutable.
 */
final class Vary {
  /** These differ between what a client asks and what the cache asks in its place. */
  private static final Set<String> NOT_COMPARED = Set.of("*", "if-none-match", "if-modified-since");

  /** The values by names in lower case; an empty list: the request did not have the field. */
  private final Map<String, List<String>> values;

  private final boolean comparable;

  private Vary(Map<String, List<String>> values, boolean comparable) {
    this.values = values;
    this.comparable = comparable;
  }

  /** What a response to a request depends upon. */
  static Vary of(Header response, Header request) {
    Map<String, List<String>> values = new TreeMap<>();
    boolean comparable = true;
    for (String name : response.tokens("vary")) {
      comparable &= !NOT_COMPARED.contains(name) && Characters.isToken(name);
      values.put(name, request.members(name));
    }
    return new Vary(values, comparable);
  }

  /** Whether all that it depends upon can be compared. */
  boolean isComparable() {
    return comparable;
  }

  /**
   * Whether a request would get the same answer: lines and blanks around commas make no difference;
   * the order of members may.
   */
  boolean matches(Header request) {
    return values.entrySet().stream()
        .allMatch(field -> field.getValue().equals(request.members(field.getKey())));
  }

  int weight() {
    int weight = 0;
    for (var field : values.entrySet()) {
      weight += 128 + field.getKey().length();
      for (String value : field.getValue()) {
        weight += 64 + value.length();
      }
    }
    return weight;
  }
}
