package dev.mely.bench.baseline;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.lang.reflect.Method;
import java.util.concurrent.ThreadFactory;

/**
 * A mailbox per color, and a virtual thread while it is not empty. Needs JDK 21 or later.
 *
 * <p>The carriers cannot be pinned; the first contestant of the process sets their number.
 */
final class VirtualThreadContestant extends Peer<Mailbox> {
  /** Number of workers, chosen by thread; a power of two. */
  private static final int STRIPES = 64;

  private final ThreadFactory factory;
  private final Worker[] stripes = new Worker[STRIPES];

  VirtualThreadContestant(int cores) {
    super(cores, false);
    this.factory = VirtualThreads.factory(cores);
    for (int i = 0; i < STRIPES; i++) {
      stripes[i] = crew.newSharedWorker();
    }
  }

  @Override
  public Mailbox newColor(int core) {
    return new ThreadMailbox(factory);
  }

  @Override
  public void register(Mailbox color, Job job) {
    color.post(job);
  }

  @Override
  @SuppressWarnings("deprecation") // Thread.getId: threadId() came after 17
  public Worker worker() {
    return stripes[(int) Thread.currentThread().getId() & (STRIPES - 1)];
  }

  /** Allocation of all threads of the process; virtual threads count for their carriers. */
  @Override
  public Figures figures() {
    try {
      Method allocated = ThreadMXBean.class.getMethod("getTotalThreadAllocatedBytes"); // JDK 21
      return Figures.ofBytes((long) allocated.invoke(ManagementFactory.getThreadMXBean()));
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() {}

  private static final class ThreadMailbox extends Mailbox {
    private static final long serialVersionUID = 1;

    private final transient ThreadFactory factory;

    ThreadMailbox(ThreadFactory factory) {
      this.factory = factory;
    }

    @Override
    void submit() {
      factory.newThread(this).start();
    }

    @Override
    @SuppressWarnings("ThreadPriorityCheck") // virtual threads are not preempted: lets others run
    public void run() {
      while (runBatch()) {
        Thread.yield();
      }
    }
  }
}
