package dev.mely.netty;

import dev.mely.Color;
import dev.mely.Permissions;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.WeakHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The named colors, and their executors. Held weakly: a name that is not in use costs nothing, so
 * names may be made of tenants or keys. A new color of the same name cannot be told from the old
 * one: code that could tell them apart holds the old one, through an executor in a pipeline or an
 * event that is pending or running, and then there is no new one. So two colors of one name are
 * never in use together.
 *
 * <p>Thread-safe.
 */
final class ColorExecutors {
  private final Cores cores;

  /** Guarded by this. */
  private final Map<String, Named> byName = new HashMap<>();

  private final ReferenceQueue<Color> unused = new ReferenceQueue<>();

  /** Guarded by this: executors of handlers that write a named color. */
  private final Map<Color, WeakReference<ColorExecutor>> writers = new WeakHashMap<>();

  /** Guarded by this: executors of handlers that read a named color. */
  private final Map<Color, WeakReference<PermissionExecutors>> readers = new WeakHashMap<>();

  ColorExecutors(Cores cores) {
    this.cores = cores;
  }

  /** The color of that name. */
  synchronized Color color(String name) {
    if (name.isEmpty()) {
      throw new IllegalArgumentException("a color's name must not be empty");
    }
    sweep();
    Named known = byName.get(name);
    Color color = known == null ? null : known.get();
    if (color == null) {
      color = cores.groupState().mely().newColor();
      byName.put(name, new Named(name, color, unused));
    }
    return color;
  }

  /** The executor of handlers that write the color of that name. */
  synchronized ColorExecutor writer(String name) {
    Color color = color(name);
    return inUse(writers, color, () -> make(color, name));
  }

  /** The executors of handlers that read the color of that name. */
  synchronized PermissionExecutors readers(String name) {
    Color color = color(name);
    return inUse(readers, color, () -> of(Permissions.read(color)));
  }

  /** A new executor for a color that the caller has. */
  ColorExecutor of(Color color) {
    return make(Objects.requireNonNull(color, "color"), "given");
  }

  /** New executors for handlers with these permissions. */
  PermissionExecutors of(Permissions asked) {
    return new PermissionExecutors(cores, Objects.requireNonNull(asked, "asked"));
  }

  private ColorExecutor make(Color color, String name) {
    return new ColorExecutor(
        cores.groupState(), cores.poller(color.core()), cores.transport(), color, name, null);
  }

  /** The executor of a color, made if there is none or it has been collected. */
  private static <T> T inUse(Map<Color, WeakReference<T>> all, Color color, Supplier<T> made) {
    WeakReference<T> known = all.get(color);
    @Nullable T one = known == null ? null : known.get();
    if (one == null) {
      one = made.get();
      all.put(color, new WeakReference<>(one));
    }
    return one;
  }

  private void sweep() {
    for (var gone = unused.poll(); gone != null; gone = unused.poll()) {
      Named named = (Named) gone;
      byName.remove(named.name, named); // unless the name is in use again
    }
  }

  /** How many names are known. */
  synchronized int size() {
    sweep();
    return byName.size();
  }

  /** Whether there is a color of that name. */
  synchronized boolean knows(String name) {
    sweep();
    return byName.containsKey(name);
  }

  private static final class Named extends WeakReference<Color> {
    final String name;

    Named(String name, Color color, ReferenceQueue<@Nullable Color> queue) {
      super(color, queue);
      this.name = name;
    }
  }
}
