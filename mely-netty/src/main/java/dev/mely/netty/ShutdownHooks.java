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

  /**
   * Runs and forgets the hooks. They may add others, for the next call.
   *
   * @return whether there was any
   */
  boolean run() {
    List<Runnable> copy = new ArrayList<>(hooks);
    hooks.clear();
    copy.forEach(ColorEventLoop::runHook);
    return !copy.isEmpty();
  }
}
