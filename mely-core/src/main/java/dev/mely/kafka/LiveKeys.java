package dev.mely.kafka;

import dev.mely.Mely;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The keys that have records which are not done. The consumer's thread only. */
final class LiveKeys {
  private final Mely mely;
  private final Map<Object, LiveKey> keys = new HashMap<>();

  /** Records without a key. */
  private int nameless;

  LiveKeys(Mely mely) {
    this.mely = mely;
  }

  /** A record comes. */
  LiveKey enter(@Nullable Object name) {
    LiveKey key;
    if (name == null) {
      nameless++;
      key = new LiveKey(null, mely.newColor());
    } else {
      key = keys.computeIfAbsent(comparable(name), n -> new LiveKey(n, mely.color(n)));
    }
    key.pending++;
    return key;
  }

  /** Equal arrays are one key; so are buffers, whose position handlers change. */
  private static Object comparable(Object name) {
    if (name instanceof byte[] bytes) {
      return ByteBuffer.wrap(bytes);
    }
    return name instanceof ByteBuffer buffer ? buffer.duplicate() : name;
  }

  /** It has ended. */
  void leave(LiveKey key) {
    key.pending--;
    if (key.key == null) {
      nameless--;
    } else if (key.pending == 0) {
      keys.remove(key.key);
    }
  }

  int size() {
    return keys.size() + nameless;
  }
}
