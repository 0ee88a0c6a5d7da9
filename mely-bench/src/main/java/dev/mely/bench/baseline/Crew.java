package dev.mely.bench.baseline;

import com.sun.management.ThreadMXBean;
import dev.mely.topology.AllowedCpus;
import dev.mely.topology.Pinner;
import dev.mely.topology.Pinning;
import dev.mely.topology.Topology;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntBinaryOperator;

/** A contestant's workers: makes them, pins their threads, and sums up their counts. */
final class Crew extends Platform {
  private final List<Worker> workers = new CopyOnWriteArrayList<>();
  private final List<Thread> threads = new CopyOnWriteArrayList<>();
  private final List<Thread> loops = new CopyOnWriteArrayList<>();
  private final AtomicInteger pinned = new AtomicInteger();
  private final int[] cpus;
  private final Pinner pinner;

  /**
   * @param cores number of workers
   * @param pinned whether to pin each to a CPU of its own; as with Mely, only where advisable
   */
  Crew(int cores, boolean pinned) {
    AllowedCpus allowed = AllowedCpus.system();
    this.cpus = allowed.cpus();
    this.pinner = pinned ? Pinning.advised(allowed, cores) : Pinning.none();
  }

  /** The CPU of a core's worker. */
  int cpu(int core) {
    return cpus[core % cpus.length];
  }

  /** A new worker with a thread of its own. */
  Worker newWorker() {
    return add(new Worker(false));
  }

  /** A new worker for several threads. */
  Worker newSharedWorker() {
    return add(new Worker(true));
  }

  private Worker add(Worker worker) {
    workers.add(worker);
    return worker;
  }

  /** Pins the calling thread to the CPU of the next worker, in turn. */
  void pinThisThread() {
    pinThisThread(pinned.getAndIncrement());
  }

  /** Pins the calling thread to the CPU of a core. */
  void pinThisThread(int core) {
    pinner.pin(cpu(core));
  }

  /** Adds a thread to those whose allocation is counted. */
  void watch(Thread thread) {
    threads.add(thread);
  }

  @Override
  long counted() {
    long sum = 0;
    for (Worker worker : workers) {
      sum += worker.counted();
    }
    return sum;
  }

  /** Allocation of the watched live threads; 0 if the JVM does not support this. */
  @Override
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

  // ---- A baseline's platform

  @Override
  long nanos() {
    return System.nanoTime();
  }

  @Override
  SpinLock newLock(int core) {
    return new SpinLock();
  }

  @Override
  IntBinaryOperator distances() {
    Topology caches = Topology.system();
    return (a, b) -> caches.distance(cpu(a), cpu(b));
  }

  @Override
  void start(int core, Runnable loop) {
    Thread thread =
        newThread(
            () -> {
              pinThisThread(core);
              loop.run();
            },
            "baseline-" + core);
    loops.add(thread);
    thread.start();
  }

  @Override
  void join() {
    for (Thread thread : loops) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return;
      }
    }
  }

  /** A thread with its worker. */
  interface Member {
    Worker worker();
  }

  /** A plain thread. */
  static final class MemberThread extends Thread implements Member {
    private final Worker worker;

    MemberThread(Runnable task, String name, Worker worker) {
      super(task, name);
      this.worker = worker;
      setDaemon(true);
    }

    @Override
    public Worker worker() {
      return worker;
    }
  }

  /** A new thread with a worker of its own. */
  MemberThread newThread(Runnable task, String name) {
    MemberThread thread = new MemberThread(task, name, newWorker());
    watch(thread);
    return thread;
  }

  /** The worker of the calling thread. */
  static Worker current() {
    return ((Member) Thread.currentThread()).worker();
  }
}
