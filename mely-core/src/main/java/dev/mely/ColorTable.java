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
 * and that has no pending event, is collected, and a later lookup removes its key; the next lookup
 * of the key makes a new color. So two colors of one key never both have events.
 *
 * <p>The {@code hashCode} and {@code equals} of a key are called by a lookup alone, on the thread
 * and at the risk of its caller. To remove an entry needs neither. Where hashes collide, by chance
 * or because a client wants them to, numbers and strings are found in logarithmic time, as in any
 * map of the JDK's; keys of other classes are compared one by one. Thread-safe.
 */
final class ColorTable {
  /** How many collected colors a lookup removes at most: more than it can add. */
  private static final int MOST_REMOVED = 64;

  /** Each entry is its own key, so that it can be removed without a look at the user's key. */
  private final ConcurrentHashMap<Entry, Entry> entries = new ConcurrentHashMap<>();

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
    StackReserve.check(); // a stack overflow must not end a change of the map in its middle
    purge(MOST_REMOVED);
    int hash = key.hashCode();
    Entry entry = entries.get(new Entry(key, hash));
    Color color = entry == null ? null : entry.get();
    return color != null ? color : make(key, hash, maker);
  }

  private Color make(Object key, int hash, Function<Object, Color> maker) {
    Color made = maker.apply(key);
    Entry entry = new Entry(key, hash, made, collected);
    while (true) {
      Entry found = entries.putIfAbsent(entry, entry);
      Color color = found == null ? made : found.get();
      if (color != null) {
        return color;
      }
      // Collected since it was found; it equals no other entry any more.
    }
  }

  private void purge(int most) {
    for (int i = 0; i < most; i++) {
      Object gone = collected.poll();
      if (gone == null) {
        return;
      }
      entries.remove(gone);
    }
  }

  int size() {
    purge(Integer.MAX_VALUE);
    return entries.size();
  }

  /**
   * A color and its key, or a key that is looked up. When the color has been collected, the entry
   * equals no other one. The map uses the order where many hashes collide.
   */
  private static final class Entry extends WeakReference<@Nullable Color>
      implements Comparable<Entry> {
    private final Object key;
    private final int hash;
    private final boolean wanted;

    /** A key that is looked up. */
    Entry(Object key, int hash) {
      super(null);
      this.key = key;
      this.hash = hash;
      this.wanted = true;
    }

    Entry(Object key, int hash, Color color, ReferenceQueue<Color> queue) {
      super(color, queue);
      this.key = key;
      this.hash = hash;
      this.wanted = false;
    }

    private boolean isCollected() {
      return !wanted && refersTo(null);
    }

    @Override
    public boolean equals(@Nullable Object other) {
      return this == other
          || (other instanceof Entry entry
              && hash == entry.hash
              && !isCollected()
              && !entry.isCollected()
              && key.equals(entry.key));
    }

    @Override
    public int hashCode() {
      return hash;
    }

    /** By classes of the JDK's alone: those of users might throw when an entry is removed. */
    @Override
    @SuppressWarnings("ComparableType") // 0 says that the order is not known
    public int compareTo(Entry other) {
      if (key instanceof Long number && other.key instanceof Long otherNumber) {
        return number.compareTo(otherNumber);
      }
      if (key instanceof String text && other.key instanceof String otherText) {
        return text.compareTo(otherText);
      }
      return 0;
    }
  }
}
