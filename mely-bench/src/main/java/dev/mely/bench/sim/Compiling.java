package dev.mely.bench.sim;

import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/**
 * The virtual machine's compiler, which wants a CPU, too: where two threads keep two CPUs busy, it
 * takes one of them away, for milliseconds at a time and half of the time at first.
 */
final class Compiling {
  private static final int MAX_TRIES = 40;

  private static final @Nullable CompilationMXBean COMPILER =
      ManagementFactory.getCompilationMXBean();

  private Compiling() {}

  /** Does something until nothing has been compiled meanwhile, or often enough. */
  static <T> T done(Callable<T> action) throws Exception {
    for (int tries = 1; ; tries++) {
      long before = millis();
      T result = action.call();
      if (millis() == before || tries == MAX_TRIES) {
        return result;
      }
    }
  }

  /** How long it has compiled. */
  static long millis() {
    CompilationMXBean compiler = COMPILER;
    return compiler != null && compiler.isCompilationTimeMonitoringSupported()
        ? compiler.getTotalCompilationTime()
        : 0;
  }
}
