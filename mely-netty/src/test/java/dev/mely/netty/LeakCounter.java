package dev.mely.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.netty.buffer.PooledByteBufAllocator;
import io.netty.util.ResourceLeakDetector;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Netty's leak detector for these tests, named by {@code -Dio.netty.customResourceLeakDetector}: it
 * remembers what it reports.
 */
public final class LeakCounter<T> extends ResourceLeakDetector<T> {
  private static final Queue<String> LEAKS = new ConcurrentLinkedQueue<>();
  private static volatile boolean installed;

  /** As Netty calls it. */
  public LeakCounter(Class<?> resourceType, int samplingInterval) {
    super(resourceType, samplingInterval);
    installed = true;
  }

  /** As Netty calls it. */
  public LeakCounter(Class<?> resourceType, int samplingInterval, long maxActive) {
    this(resourceType, samplingInterval);
  }

  @Override
  protected boolean needReport() {
    return true;
  }

  @Override
  protected void reportTracedLeak(String resourceType, String records) {
    LEAKS.add(resourceType + records);
  }

  @Override
  protected void reportUntracedLeak(String resourceType) {
    LEAKS.add(resourceType);
  }

  /** Fails if a buffer has been collected without having been released. */
  public static void assertNoLeaks() {
    for (int i = 0; i < 3; i++) {
      System.gc();
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
      PooledByteBufAllocator.DEFAULT.buffer(1).release(); // reports happen on allocation
    }
    assertEquals(true, installed, "the detector is installed");
    assertEquals(Level.PARANOID, getLevel());
    assertEquals(List.of(), List.copyOf(LEAKS));
  }
}
