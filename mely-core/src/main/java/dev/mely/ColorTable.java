package dev.mely;

import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Colors by number or key. Only a lookup goes through this table; registering an event does not.
 *
 * <p>The table does not keep colors alive. A color to which the program does not refer any more,
 * and that has no pending event, is collected, and its key with it; the next lookup of the key
 * makes a new color. So two colors of one key never both have events.
 *
 * <p>The {@code hashCode} and {@code equals} of a key are called by a lookup alone, on the thread
 * and at the risk of its caller. To remove an entry needs neither. Thread-safe.
 */
final class ColorTable {
  /** Each entry is its own key, so that it can be removed without a look at the user's key. */
  private final ConcurrentHashMap<Object, Entry> entries = new ConcurrentHashMap<>();

  private final ReferenceQueue<Color> collected = new ReferenceQueue<>();

  /** What a key is in this table: the number of a color, as a {@code Long}, or the key itself. */
  static Object key(Object key) {
    return key instanceof Integer || key instanceof Short || key instanceof Byte
        ? ((Number) key).longValue()
        : Objects.requireNonNull(key, "key");
  }

  /**
   * Looks a color up.
   *
   * @param maker makes the color of a key; what it makes may be thrown away, if another thread has
   *     been faster
   */
  Color get(Object key, Function<Object, Color> maker) {
    purge();
    Entry entry = entries.get(new Wanted(key, key.hashCode()));
    Color color = entry == null ? null : entry.get();
    return color != null ? color : make(key, maker);
  }

  private Color make(Object key, Function<Object, Color> maker) {
    StackReserve.check(); // a stack overflow must not end a change of the map in its middle
    Color made = maker.apply(key);
    Entry entry = new Entry(key, key.hashCode(), made, collected);
    while (true) {
      Entry found = entries.putIfAbsent(entry, entry);
      Color color = found == null ? made : found.get();
      if (color != null) {
        return color;
      }
      // Collected since it was found; it equals no other entry any more.
    }
  }

  private void purge() {
    for (Object gone = collected.poll(); gone != null; gone = collected.poll()) {
      entries.remove(gone);
    }
  }

  int size() {
    purge();
    return entries.size();
  }

  /** A key that is looked up. */
  private record Wanted(Object key, int hash) {
    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Entry entry && entry.isOf(key, hash);
    }

    @Override
    public int hashCode() {
      return hash;
    }
  }

  /** A color and its key. When the color has been collected, the entry equals no other one. */
  private static final class Entry extends WeakReference<@Nullable Color> {
    private final Object key;
    private final int hash;

    Entry(Object key, int hash, Color color, ReferenceQueue<Color> queue) {
      super(color, queue);
      this.key = key;
      this.hash = hash;
    }

    boolean isOf(Object otherKey, int otherHash) {
      return hash == otherHash && !refersTo(null) && otherKey.equals(key);
    }

    @Override
    public boolean equals(@Nullable Object other) {
      return this == other
          || (other instanceof Entry entry && !refersTo(null) && entry.isOf(key, hash));
    }

    @Override
    public int hashCode() {
      return hash;
    }
  }
}
