package dev.mely.bench.baseline;

import java.util.concurrent.ThreadFactory;
import org.jspecify.annotations.Nullable;

/** Virtual threads, for code that also runs on JDKs without them. */
public final class VirtualThreads {
  private static final int MIN_FEATURE = 21;

  /** {@code Thread.ofVirtual().factory()}; null before JDK 21. */
  private static final @Nullable ThreadFactory FACTORY = find();

  private VirtualThreads() {}

  private static @Nullable ThreadFactory find() {
    if (Runtime.version().feature() < MIN_FEATURE) {
      return null;
    }
    try {
      Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
      Class<?> type = Class.forName("java.lang.Thread$Builder");
      return (ThreadFactory) type.getMethod("factory").invoke(builder);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /**
   * Makes virtual threads.
   *
   * @param cores number of carriers, 1 or more; only the first call in the process sets it
   * @return a factory of unstarted virtual threads
   * @throws UnsupportedOperationException before JDK 21
   */
  public static ThreadFactory factory(int cores) {
    ThreadFactory virtual = FACTORY;
    if (virtual == null) {
      throw new UnsupportedOperationException(unavailability());
    }
    // Read by the JDK with the first virtual thread.
    System.setProperty("jdk.virtualThreadScheduler.parallelism", Integer.toString(cores));
    System.setProperty("jdk.virtualThreadScheduler.maxPoolSize", Integer.toString(cores));
    return virtual;
  }

  /** Why there are none; null if there are. */
  public static @Nullable String unavailability() {
    return FACTORY != null
        ? null
        : "needs JDK " + MIN_FEATURE + " or later, this is " + Runtime.version().feature();
  }
}
