package dev.mely.examples.proxy;

import dev.mely.examples.http.Characters;
import dev.mely.examples.http.Header;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * The fields of the request, in addition to the URL, on which a stored response depends (RFC 9111,
 * section 4.1). Immutable.
 */
final class Vary {
  /** Fields that differ between the client's request and the cache's own. */
  private static final Set<String> NOT_COMPARED = Set.of("*", "if-none-match", "if-modified-since");

  /** Values by names in lower case; an empty list if the request did not have the field. */
  private final Map<String, List<String>> values;

  private final boolean comparable;

  private Vary(Map<String, List<String>> values, boolean comparable) {
    this.values = values;
    this.comparable = comparable;
  }

  /** The fields on which the response to a request depends. */
  static Vary of(Header response, Header request) {
    Map<String, List<String>> values = new TreeMap<>();
    boolean comparable = true;
    for (String name : response.tokens("vary")) {
      comparable &= !NOT_COMPARED.contains(name) && Characters.isToken(name);
      values.put(name, request.members(name));
    }
    return new Vary(values, comparable);
  }

  /** Whether all these fields can be compared. */
  boolean isComparable() {
    return comparable;
  }

  /**
   * Whether a request matches. Blanks around commas and the split into lines make no difference;
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
