package dev.mely.examples.proxy;

import dev.mely.Color;
import dev.mely.examples.http.Header;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One part of the cache, with a color of its own, as in the libasync-smp paper's page cache.
 * Without a lock: all methods except {@link #color} belong to its color.
 */
final class CachePart {
  /** How many variants of one URL to keep; clients choose the fields by which they differ. */
  private static final int MAX_VARIANTS = 16;

  private final Color color;
  private final long limit;

  /** Least recently used first; the variants of one URL from the newest to the oldest. */
  final Map<String, List<StoredResponse>> entries = new LinkedHashMap<>(16, 0.75f, true);

  private long bytes;

  /**
   * Makes an empty part.
   *
   * @param color to which it belongs
   * @param limit how many bytes it may take, approximately
   */
  CachePart(Color color, long limit) {
    this.color = color;
    this.limit = limit;
  }

  Color color() {
    return color;
  }

  /** The newest variant that matches a request; null if there is none. */
  @Nullable StoredResponse find(String key, Header request) {
    for (StoredResponse stored : entries.getOrDefault(key, List.of())) {
      if (stored.vary().matches(request)) {
        return stored;
      }
    }
    return null;
  }

  /**
   * Stores a response; replaces variants that match the same request, and evicts the least recently
   * used entries.
   */
  void put(String key, Header request, StoredResponse response) {
    remove(key, request);
    if (response.weight(key) > limit) {
      return;
    }
    List<StoredResponse> variants = entries.computeIfAbsent(key, k -> new ArrayList<>(1));
    if (variants.size() == MAX_VARIANTS) {
      bytes -= variants.remove(MAX_VARIANTS - 1).weight(key);
    }
    variants.add(0, response);
    bytes += response.weight(key);
    var oldest = entries.entrySet().iterator();
    while (bytes > limit) {
      var entry = oldest.next();
      for (StoredResponse stored : entry.getValue()) {
        bytes -= stored.weight(entry.getKey());
      }
      oldest.remove();
    }
  }

  /** Removes the variants that match a request. */
  void remove(String key, Header request) {
    List<StoredResponse> variants = entries.get(key);
    if (variants == null) {
      return;
    }
    variants.removeIf(
        stored -> {
          boolean gone = stored.vary().matches(request);
          bytes -= gone ? stored.weight(key) : 0;
          return gone;
        });
    if (variants.isEmpty()) {
      entries.remove(key);
    }
  }

  /** Removes all entries. */
  void clear() {
    entries.clear();
    bytes = 0;
  }

  long bytes() {
    return bytes;
  }
}
