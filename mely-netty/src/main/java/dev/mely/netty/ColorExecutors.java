package dev.mely.netty;

import dev.mely.Color;
import dev.mely.Permissions;
import java.lang.ref.WeakReference;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The executors of colors, above all of those that have a name: the name is the key of a color of
 * the runtime, so handlers exclude what other sources register with that key. There is one executor
 * of handlers that write a named color, and one group of executors of handlers that read it.
 *
 * <p>Held weakly, as the runtime holds its colors: a name that is not in use costs nothing, so
 * names may be made of tenants or keys. A new executor of the same name cannot be told from the old
 * one: code that could tell them apart holds the old one, in a pipeline or by a task that is
 * pending or running, and then there is no new one.
 *
 * <p>Thread-safe.
 */
final class ColorExecutors {
  private final Cores cores;

  /** Guarded by this: executors of handlers that write a named color. */
  private final Map<Color, WeakReference<ColorExecutor>> writers = new WeakHashMap<>();

  /** Guarded by this: executors of handlers that read a named color. */
  private final Map<Color, WeakReference<PermissionExecutors>> readers = new WeakHashMap<>();

  ColorExecutors(Cores cores) {
    this.cores = cores;
  }

  /** The color of that key, for all sources. */
  Color color(Object key) {
    return cores.groupState().mely().color(key);
  }

  /** The executor of handlers that write the color of that name. */
  ColorExecutor writer(String name) {
    Color color = named(name);
    return inUse(writers, color, () -> make(color, name));
  }

  /** The executors of handlers that read the color of that name. */
  PermissionExecutors readers(String name) {
    Color color = named(name);
    return inUse(readers, color, () -> of(Permissions.read(color)));
  }

  private Color named(String name) {
    if (name.isEmpty()) {
      throw new IllegalArgumentException("a color's name must not be empty");
    }
    return color(name);
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
  private synchronized <T> T inUse(
      Map<Color, WeakReference<T>> all, Color color, Supplier<T> made) {
    WeakReference<T> known = all.get(color);
    @Nullable T one = known == null ? null : known.get();
    if (one == null) {
      one = made.get();
      all.put(color, new WeakReference<>(one));
    }
    return one;
  }

  /** How many named colors are in use that have had an executor. */
  synchronized int size() {
    Set<Color> all = new HashSet<>(writers.keySet());
    all.addAll(readers.keySet());
    return all.size();
  }
}
