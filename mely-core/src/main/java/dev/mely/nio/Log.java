package dev.mely.nio;

import org.jspecify.annotations.Nullable;

/** Logs what has gone wrong, and ignores a log that fails. */
final class Log {
  private static final System.Logger LOGGER = System.getLogger("dev.mely.nio");

  private Log() {}

  static void warn(String message, @Nullable Throwable cause) {
    try {
      LOGGER.log(System.Logger.Level.WARNING, message, cause);
    } catch (Throwable ofTheLog) {
      // There is nowhere else to report it.
    }
  }
}
