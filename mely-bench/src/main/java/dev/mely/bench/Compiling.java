package dev.mely.bench;

import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;
import java.util.concurrent.Callable;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * This virtual machine's compilers, which want a CPU, too: where threads keep all CPUs busy, they
 * take one of them away, for milliseconds at a time and half of the time at first.
 */
public final class Compiling {
  static final int MAX_TRIES = 40;

  private static final @Nullable CompilationMXBean COMPILER =
      ManagementFactory.getCompilationMXBean();

  private Compiling() {}

  /** Does something until nothing has been compiled meanwhile, or often enough. */
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

  /** How long it has compiled. */
  public static long millis() {
    CompilationMXBean compiler = COMPILER;
    return compiler != null && compiler.isCompilationTimeMonitoringSupported()
        ? compiler.getTotalCompilationTime()
        : 0;
  }
}
