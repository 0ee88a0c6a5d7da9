package dev.mely.bench;

import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;
import java.util.concurrent.Callable;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Waits for this JVM's compilers: if threads keep all CPUs busy, the compilers take one away, for
 * milliseconds at a time, and at first half of the time.
 */
public final class Compiling {
  static final int MAX_TRIES = 40;

  private static final @Nullable CompilationMXBean COMPILER =
      ManagementFactory.getCompilationMXBean();

  private Compiling() {}

  /** Repeats an action until no code was compiled meanwhile, or often enough. */
  public static <T> T done(Callable<T> action) throws Exception {
    return done(action, Compiling::millis);
  }

  static <T> T done(Callable<T> action, LongSupplier millis) throws Exception {
    for (int i = 1; ; i++) {
      long compiled = millis.getAsLong();
      T result = action.call();
      if (millis.getAsLong() == compiled || i >= MAX_TRIES) {
        return result;
      }
    }
  }

  /** Total compilation time so far. */
  public static long millis() {
    CompilationMXBean compiler = COMPILER;
    return compiler != null && compiler.isCompilationTimeMonitoringSupported()
        ? compiler.getTotalCompilationTime()
        : 0;
  }
}
