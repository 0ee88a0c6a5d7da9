package dev.mely.netty;

import dev.mely.Color;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The executors of named colors. Held weakly: a name that nobody uses costs nothing, so names may
 * be made of tenants or keys. Whoever could tell a new executor of the same name from the old one
 * holds the old one: a pipeline, a pending task, a running one. So two of them are never alive in
 * one color's name.
 *
 * <p>Thread-safe.
 */
final class ColorExecutors {
  private final Engine engine;

  /** Guarded by this. */
  private final Map<String, Named> byName = new HashMap<>();

  private final ReferenceQueue<ColorExecutor> unused = new ReferenceQueue<>();

  ColorExecutors(Engine engine) {
    this.engine = engine;
  }

  /** The executor of that name. */
  synchronized ColorExecutor named(String name) {
    if (name.isEmpty()) {
      throw new IllegalArgumentException("a color's name must not be empty");
    }
    sweep();
    Named known = byName.get(name);
    ColorExecutor executor = known == null ? null : known.get();
    if (executor == null) {
      executor = make(engine.mely().newColor(), name);
      byName.put(name, new Named(name, executor, unused));
    }
    return executor;
  }

  /** A new executor for a color that the caller has. */
  ColorExecutor of(Color color) {
    return make(Objects.requireNonNull(color, "color"), "given");
  }

  private ColorExecutor make(Color color, String name) {
    return new ColorExecutor(engine, engine.poller(color.core()), color, name);
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

  /** Whether there is an executor of that name. */
  synchronized boolean knows(String name) {
    sweep();
    return byName.containsKey(name);
  }

  private static final class Named extends WeakReference<ColorExecutor> {
    final String name;

    Named(String name, ColorExecutor executor, ReferenceQueue<@Nullable ColorExecutor> queue) {
      super(executor, queue);
      this.name = name;
    }
  }
}
