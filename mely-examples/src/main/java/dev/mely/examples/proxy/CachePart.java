package dev.mely.examples.proxy;

import dev.mely.Color;
import dev.mely.examples.http.Header;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One of the parts into which the cache is split, each of a color of its own, as the page cache of
 * the libasync-smp paper is. It has no lock: all methods but {@link #color} belong to its color.
 */
final class CachePart {
  /** So many answers to one URL are kept: clients choose the fields that tell them apart. */
  private static final int MAX_VARIANTS = 16;

  private final Color color;
  private final long limit;

  /** Least recently used first; the answers to one URL from the newest to the oldest. */
  final Map<String, List<StoredResponse>> entries = new LinkedHashMap<>(16, 0.75f, true);

  private long bytes;

  /**
   * Begins empty.
   *
   * @param color to which it belongs
   * @param limit how many bytes it may take, about
   */
  CachePart(Color color, long limit) {
    this.color = color;
    this.limit = limit;
  }

  Color color() {
    return color;
  }

  /** The newest answer that fits a request; null: there is none. */
  @Nullable StoredResponse find(String key, Header request) {
    for (StoredResponse stored : entries.getOrDefault(key, List.of())) {
      if (stored.vary().matches(request)) {
        return stored;
      }
    }
    return null;
  }

  /**
   * Keeps an answer, in the place of those that would have fitted the same request, and of those
   * that have not been asked for for longest.
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

  /** Forgets what would be the answer to a request. */
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

  /** Forgets all. */
  void clear() {
    entries.clear();
    bytes = 0;
  }

  long bytes() {
    return bytes;
  }
}
