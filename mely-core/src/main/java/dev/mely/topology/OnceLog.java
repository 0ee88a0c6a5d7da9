package dev.mely.topology;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/** Writes the first message that it gets, and drops the others. */
final class OnceLog implements Consumer<String> {
  private final System.Logger.Level level;
  private final AtomicBoolean written = new AtomicBoolean();

  OnceLog(System.Logger.Level level) {
    this.level = level;
  }

  @Override
  public void accept(String message) {
    if (written.compareAndSet(false, true)) {
      try {
        System.getLogger("dev.mely.topology").log(level, message);
      } catch (RuntimeException | LinkageError brokenBackend) {
        // A logging backend that fails must not take a worker down.
      }
    }
  }
}
