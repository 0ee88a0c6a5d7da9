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
  private static final double NANOS_PER_MILLI = 1e6;
  private static final int MAX_TRIES = 40;

  private static final @Nullable CompilationMXBean COMPILER =
      ManagementFactory.getCompilationMXBean();

  private Compiling() {}

  /** Does something until nothing has been compiled meanwhile, or often enough. */
  public static <T> T done(Callable<T> action) throws Exception {
    return quiet(action, 0, MAX_TRIES);
  }

  /**
   * Does something until little has been compiled meanwhile, or often enough.
   *
   * @param share of its time that the compilers may take, 0 or more
   * @param tries how often to do it at most, 1 or more
   * @return its last outcome
   */
  public static <T> T quiet(Callable<T> action, double share, int tries) throws Exception {
    return quiet(action, share, tries, Compiling::millis, System::nanoTime);
  }

  static <T> T quiet(
      Callable<T> action, double share, int tries, LongSupplier millis, LongSupplier nanos)
      throws Exception {
    for (int i = 1; ; i++) {
      long compiled = millis.getAsLong();
      long start = nanos.getAsLong();
      T result = action.call();
      double taken = (millis.getAsLong() - compiled) * NANOS_PER_MILLI;
      if (taken <= share * (nanos.getAsLong() - start) || i >= tries) {
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
