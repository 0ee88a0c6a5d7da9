package dev.mely.bench.baseline;

import java.util.concurrent.ThreadFactory;
import org.jspecify.annotations.Nullable;

/** Virtual threads, from code that runs on JDKs that have none. */
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
   * Makes them.
   *
   * @param cores carriers, 1 or more; as many as the first caller of the process asked for
   * @return what makes and does not start them
   * @throws UnsupportedOperationException before JDK 21
   */
  public static ThreadFactory factory(int cores) {
    ThreadFactory virtual = FACTORY;
    if (virtual == null) {
      throw new UnsupportedOperationException(unavailability());
    }
    // Read when the first virtual thread is made.
    System.setProperty("jdk.virtualThreadScheduler.parallelism", Integer.toString(cores));
    System.setProperty("jdk.virtualThreadScheduler.maxPoolSize", Integer.toString(cores));
    return virtual;
  }

  /** Why there are none; null if there are. */
  static @Nullable String unavailability() {
    return FACTORY != null
        ? null
        : "needs JDK " + MIN_FEATURE + " or later, this is " + Runtime.version().feature();
  }
}
