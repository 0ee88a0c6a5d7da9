package dev.mely.bench.server;

import io.netty.util.concurrent.DefaultThreadFactory;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadFactory;

/** Makes the threads of event loops, and returns the CPU time of each. */
final class LoopThreads implements ThreadFactory {
  private final ThreadFactory factory = new DefaultThreadFactory("loop", true);
  private final List<Thread> threads = new CopyOnWriteArrayList<>();

  @Override
  public Thread newThread(Runnable task) {
    Thread thread = factory.newThread(task);
    threads.add(thread);
    return thread;
  }

  /** CPU time of each thread, in the order of creation, in nanoseconds. */
  @SuppressWarnings("deprecation") // Thread.getId: threadId() came after 17
  List<Long> cpuNanos() {
    ThreadMXBean bean = ManagementFactory.getThreadMXBean();
    return threads.stream().map(t -> Math.max(0, bean.getThreadCpuTime(t.getId()))).toList();
  }
}
