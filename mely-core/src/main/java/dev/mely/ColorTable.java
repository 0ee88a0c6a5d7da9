package dev.mely;

import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Colors by number. Only looking a color up goes through this table; registering an event does not.
 *
 * <p>The table holds colors weakly: one that is not referenced elsewhere and has no pending event
 * is collected, and made anew when its number is looked up again. Two colors of one number can
 * therefore never both have events. Thread-safe.
 */
final class ColorTable {
  private final ConcurrentHashMap<Long, WeakColor> entries = new ConcurrentHashMap<>();
  private final ReferenceQueue<Color> collected = new ReferenceQueue<>();

  Color get(long key, LongFunction<Color> maker) {
    WeakColor entry = entries.get(key);
    Color color = entry == null ? null : entry.get();
    return color != null ? color : make(key, maker);
  }

  private Color make(long key, LongFunction<Color> maker) {
    StackReserve.check(); // the map must not be left in the middle of a change
    purge();
    Color[] found = new Color[1]; // holds the color strongly until the caller does
    entries.compute(
        key,
        (k, old) -> {
          Color color = old == null ? null : old.get();
          if (color != null) {
            found[0] = color;
            return old;
          }
          found[0] = maker.apply(k);
          return new WeakColor(k, found[0], collected);
        });
    return found[0];
  }

  private void purge() {
    for (Object gone = collected.poll(); gone != null; gone = collected.poll()) {
      if (gone instanceof WeakColor entry) {
        entries.remove(entry.key, entry);
      }
    }
  }

  int size() {
    purge();
    return entries.size();
  }

  private static final class WeakColor extends WeakReference<@Nullable Color> {
    final Long key;

    WeakColor(Long key, Color color, ReferenceQueue<Color> queue) {
      super(color, queue);
      this.key = key;
    }
  }
}
