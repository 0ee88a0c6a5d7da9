package dev.mely.bench.baseline;

import com.sun.management.ThreadMXBean;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.management.ManagementFactory;
import java.util.concurrent.ThreadFactory;
import org.jspecify.annotations.Nullable;

/**
 * A mailbox per color, and a virtual thread for as long as it is not empty. Needs JDK 21 or later.
 *
 * <p>The carriers cannot be pinned, and are as many as the first contestant of the process asked
 * for.
 */
public final class VirtualThreadContestant extends Peer<Mailbox> {
  private static final int MIN_FEATURE = 21;

  /** Workers to choose from by thread; a power of two. */
  private static final int STRIPES = 64;

  /** {@code Thread.ofVirtual().factory()}; null before JDK 21. */
  private static final @Nullable ThreadFactory FACTORY;

  /** {@code ThreadMXBean.getTotalThreadAllocatedBytes()}; null before JDK 21. */
  private static final @Nullable MethodHandle ALLOCATED;

  static {
    // Read when the first virtual thread is made.
    ThreadFactory factory = null;
    MethodHandle allocated = null;
    if (Runtime.version().feature() >= MIN_FEATURE) {
      try {
        MethodHandles.Lookup lookup = MethodHandles.publicLookup();
        Class<?> builder = Class.forName("java.lang.Thread$Builder");
        Class<?> ofVirtual = Class.forName("java.lang.Thread$Builder$OfVirtual");
        Object virtual =
            lookup.findStatic(Thread.class, "ofVirtual", MethodType.methodType(ofVirtual)).invoke();
        factory =
            (ThreadFactory)
                lookup
                    .findVirtual(builder, "factory", MethodType.methodType(ThreadFactory.class))
                    .invoke(virtual);
        allocated =
            lookup.findVirtual(
                ThreadMXBean.class,
                "getTotalThreadAllocatedBytes",
                MethodType.methodType(long.class));
      } catch (Throwable e) {
        throw new ExceptionInInitializerError(e);
      }
    }
    FACTORY = factory;
    ALLOCATED = allocated;
  }

  private final ThreadFactory factory;
  private final Worker[] stripes = new Worker[STRIPES];

  /**
   * Makes it ready; there is nothing to start.
   *
   * @param cores carriers, 1 or more
   * @throws UnsupportedOperationException before JDK 21
   */
  public VirtualThreadContestant(int cores) {
    super(cores, false);
    ThreadFactory virtual = FACTORY;
    if (virtual == null) {
      throw new UnsupportedOperationException(unavailability());
    }
    System.setProperty("jdk.virtualThreadScheduler.parallelism", Integer.toString(cores));
    System.setProperty("jdk.virtualThreadScheduler.maxPoolSize", Integer.toString(cores));
    this.factory = virtual;
    for (int i = 0; i < STRIPES; i++) {
      stripes[i] = crew.newSharedWorker();
    }
  }

  /** Why there are no virtual threads; null if there are. */
  static @Nullable String unavailability() {
    return FACTORY != null
        ? null
        : "needs JDK " + MIN_FEATURE + " or later, this is " + Runtime.version().feature();
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

  /** Bytes of all threads of the process: those of virtual ones are counted to their carriers. */
  @Override
  public Figures figures() {
    MethodHandle allocated = ALLOCATED;
    if (allocated == null || !(ManagementFactory.getThreadMXBean() instanceof ThreadMXBean bean)) {
      return Figures.ofBytes(0);
    }
    try {
      return Figures.ofBytes((long) allocated.invoke(bean));
    } catch (Throwable e) {
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
    @SuppressWarnings("ThreadPriorityCheck") // a virtual thread is not preempted: others' turn
    public void run() {
      while (runBatch()) {
        Thread.yield();
      }
    }
  }
}
