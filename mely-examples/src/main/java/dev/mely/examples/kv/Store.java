package dev.mely.examples.kv;

import dev.mely.Color;
import dev.mely.Mely;
import dev.mely.Permissions;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * All keys and their values, in parts, each of which is a plain map and a color. There is no lock:
 * an event that has asked to read a key's color may look the key up, beside others that read; one
 * that has asked to write it has the key's part for itself.
 */
final class Store {
  private static final int PARTS = 64;

  private record Part(Color color, Map<String, String> values) {}

  private final Part[] parts;

  /** Makes an empty one, with colors of a runtime. */
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

  // ---- What to ask for: any event

  /** Returns what an event is to ask for that also reads a key. */
  Permissions askToRead(Permissions asked, String key) {
    Color color = part(key).color;
    return asked.mayRead(color) ? asked : asked.andRead(color);
  }

  /** Returns what an event is to ask for that also writes a key. */
  Permissions askToWrite(Permissions asked, String key) {
    Color color = part(key).color;
    return asked.mayWrite(color) ? asked : asked.andWrite(color);
  }

  // ---- An event that has asked for it, to read or to write

  /** Reads the value of a key; null: it has none. */
  @Nullable String get(String key) {
    Part part = part(key);
    assert part.color.isCurrent() : "nobody has asked to read " + key;
    return part.values.get(key);
  }

  void put(String key, String value) {
    toWrite(key).put(key, value);
  }

  /** Takes a key away, if it is there; returns whether it was. */
  boolean remove(String key) {
    return toWrite(key).remove(key) != null;
  }

  private Map<String, String> toWrite(String key) {
    Part part = part(key);
    assert part.color.isRunBy(Thread.currentThread()) : "nobody has asked to write " + key;
    return part.values;
  }
}
