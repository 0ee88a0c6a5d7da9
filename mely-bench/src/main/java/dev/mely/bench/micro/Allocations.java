package dev.mely.bench.micro;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Adds up what a group of threads has allocated. */
final class Allocations {
  private final List<Thread> threads = new CopyOnWriteArrayList<>();

  /** Adds a thread to the group. */
  void watch(Thread thread) {
    threads.add(thread);
  }

  /** Bytes allocated by the threads that are alive; 0 where the JVM does not tell. */
  @SuppressWarnings("deprecation") // Thread.getId: threadId() came after 17
  long bytes() {
    if (!(ManagementFactory.getThreadMXBean() instanceof ThreadMXBean bean)) {
      return 0;
    }
    long sum = 0;
    for (Thread thread : threads) {
      sum += Math.max(0, bean.getThreadAllocatedBytes(thread.getId()));
    }
    return sum;
  }
}
