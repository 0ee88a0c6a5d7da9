package dev.mely.examples.kv;

import dev.mely.Color;
import dev.mely.Mely;
import dev.mely.Permissions;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * All keys and values, in parts, each of which is a plain map with a color. There is no lock: an
 * event with read permission for a key's color may look up the key, in parallel with other readers;
 * one with write permission has the key's part exclusively.
 */
final class Store {
  private static final int PARTS = 64;

  private record Part(Color color, Map<String, String> values) {}

  private final Part[] parts;

  /** Makes an empty store, with colors of a runtime. */
  Store(Mely mely) {
    parts =
        Stream.generate(() -> new Part(mely.newColor(), new HashMap<>()))
            .limit(PARTS)
            .toArray(Part[]::new);
  }

  private Part part(String key) {
    int hash = key.hashCode();
    return parts[(hash ^ hash >>> 16) & (PARTS - 1)];
  }

  // ---- Permissions: any event

  /** Returns permissions extended by reading a key. */
  Permissions askToRead(Permissions asked, String key) {
    Color color = part(key).color;
    return asked.mayRead(color) ? asked : asked.andRead(color);
  }

  /** Returns permissions extended by writing a key. */
  Permissions askToWrite(Permissions asked, String key) {
    Color color = part(key).color;
    return asked.mayWrite(color) ? asked : asked.andWrite(color);
  }

  // ---- Access: an event that has the permission, to read or to write

  /** Returns the value of a key; null if there is none. */
  @Nullable String get(String key) {
    Part part = part(key);
    assert part.color.isCurrent() : "no permission to read " + key;
    return part.values.get(key);
  }

  void put(String key, String value) {
    toWrite(key).put(key, value);
  }

  /** Removes a key; returns whether it was present. */
  boolean remove(String key) {
    return toWrite(key).remove(key) != null;
  }

  private Map<String, String> toWrite(String key) {
    Part part = part(key);
    assert part.color.isRunBy(Thread.currentThread()) : "no permission to write " + key;
    return part.values;
  }
}
