package dev.mely.netty;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The shutdown hooks of an event loop, in the order in which they were added. Confined to the
 * color.
 */
final class ShutdownHooks {
  private final Set<Runnable> hooks = new LinkedHashSet<>();

  void add(Runnable hook) {
    hooks.add(hook);
  }

  void remove(Runnable hook) {
    hooks.remove(hook);
  }

  boolean isEmpty() {
    return hooks.isEmpty();
  }

  /** Takes all hooks out; when they run, they may add others. */
  List<Runnable> take() {
    List<Runnable> taken = new ArrayList<>(hooks);
    hooks.clear();
    return taken;
  }
}
