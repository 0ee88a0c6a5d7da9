package dev.mely.netty;

import org.jspecify.annotations.Nullable;

/** Logs warnings. What the log itself throws is dropped, so that the caller goes on. */
final class Log {
  private static final System.Logger LOGGER = System.getLogger("dev.mely.netty");

  private Log() {}

  static void warn(String message, @Nullable Throwable cause) {
    try {
      LOGGER.log(System.Logger.Level.WARNING, message, cause);
    } catch (Throwable ofTheLog) {
      // There is no other place to report it.
    }
  }
}
