package dev.mely.netty;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** What is to run when an event loop shuts down, in the order in which it was added. One color. */
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

  /** Hands out and forgets the hooks; when they run, they may add others. */
  List<Runnable> take() {
    List<Runnable> taken = new ArrayList<>(hooks);
    hooks.clear();
    return taken;
  }
}
