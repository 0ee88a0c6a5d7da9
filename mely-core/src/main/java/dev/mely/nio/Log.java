package dev.mely.nio;

import org.jspecify.annotations.Nullable;

/** Tells people what has gone wrong. A log that fails keeps nothing else from being done. */
final class Log {
  private static final System.Logger LOGGER = System.getLogger("dev.mely.nio");

  private Log() {}

  static void warn(String message, @Nullable Throwable cause) {
    try {
      LOGGER.log(System.Logger.Level.WARNING, message, cause);
    } catch (Throwable ofTheLog) {
      // Nobody else to tell.
    }
  }
}
