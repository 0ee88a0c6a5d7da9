package dev.mely.examples.proxy;

import dev.mely.examples.http.Characters;
import dev.mely.examples.http.Header;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What a stored response depends upon beside its URL: fields of the request for which it was the
 * answer (RFC 9111, section 4.1). Immutable.
 */
final class Vary {
  /** These differ between what a client asks and what the cache asks in its place. */
  private static final Set<String> NOT_COMPARED = Set.of("*", "if-none-match", "if-modified-since");

  /** The values by names in lower case; an empty list: the request did not have the field. */
  private final Map<String, List<String>> values;

  private Vary(Map<String, List<String>> values) {
    this.values = values;
  }

  /** What a response to a request depends upon; null: on what cannot be compared. */
  static @Nullable Vary of(Header response, Header request) {
    Map<String, List<String>> values = new TreeMap<>();
    for (String name : response.tokens("vary")) {
      if (NOT_COMPARED.contains(name) || !Characters.isToken(name)) {
        return null;
      }
      values.put(name, request.members(name));
    }
    return new Vary(values);
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
