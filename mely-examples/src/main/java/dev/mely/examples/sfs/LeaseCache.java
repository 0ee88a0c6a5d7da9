package dev.mely.examples.sfs;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a client has been told of files, for as long as it holds a lease on them. Belongs to the
 * client's color.
 */
final class LeaseCache {
  private static final int MAX = 1024;

  private record Known(Attributes attributes, long lease, long expires) {}

  private final Map<String, Known> byPath = new HashMap<>();

  /** A file may be known by several names. */
  private final Map<Long, Set<String>> paths = new HashMap<>();

  /** What is known of a path; null: ask. */
  @Nullable Attributes get(String path, long now) {
    Known known = byPath.get(path);
    return known == null || known.expires() - now <= 0 ? null : known.attributes();
  }

  /**
   * Notes an answer.
   *
   * @param lease its number; 0: there is none
   * @param asked when the question was sent, from which the lease is counted
   */
  void put(String path, Attributes attributes, long lease, long millis, long asked) {
    if (lease == 0) {
      return;
    }
    if (byPath.size() >= MAX) {
      clear();
    }
    byPath.put(path, new Known(attributes, lease, asked + millis * 1_000_000));
    paths.computeIfAbsent(lease, l -> new HashSet<>()).add(path);
  }

  /** The server has called back. */
  void broken(long lease) {
    Set<String> old = paths.remove(lease);
    if (old != null) {
      old.forEach(byPath::remove);
    }
  }

  /** This client has changed something itself. */
  void clear() {
    byPath.clear();
    paths.clear();
  }
}
