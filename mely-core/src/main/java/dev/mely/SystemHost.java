package dev.mely;

import dev.mely.spi.Poller;
import dev.mely.topology.Pinner;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** The real world: system clock, threads of a factory, pinned. */
final class SystemHost implements Host {
  /**
   * Origin of this clock. {@code System.nanoTime} may be negative; this clock starts at an hour, so
   * that zero, which stands for "never", is long ago.
   */
  private static final long BEGIN = System.nanoTime() - TimeUnit.HOURS.toNanos(1);

  private final ThreadFactory factory;
  private final Pinner pinner;
  private final int[] cpus;

  /** By core. Written before any of them starts, which publishes it to the workers. */
  private final @Nullable Thread[] threads;

  /**
   * @param factory makes the workers' threads
   * @param pinner pins a thread, or does not
   * @param cpus the CPU of each core
   */
  SystemHost(ThreadFactory factory, Pinner pinner, int[] cpus) {
    this.factory = factory;
    this.pinner = pinner;
    this.cpus = cpus.clone();
    this.threads = new @Nullable Thread[cpus.length];
  }

  @Override
  public long nanos() {
    return System.nanoTime() - BEGIN;
  }

  @Override
  public int random(int bound) {
    return ThreadLocalRandom.current().nextInt(bound);
  }

  @Override
  public int cores() {
    return threads.length;
  }

  @Override
  public boolean isCurrent(int core) {
    return threads[core] == Thread.currentThread();
  }

  @Override
  public @Nullable Thread thread(int core) {
    return threads[core];
  }

  @Override
  public boolean isWaiting(int core) {
    Thread thread = threads[core];
    if (thread == null) {
      return false;
    }
    Thread.State now = thread.getState(); // RUNNABLE also in a system call that waits
    return now == Thread.State.BLOCKED
        || now == Thread.State.WAITING
        || now == Thread.State.TIMED_WAITING;
  }

  @Override
  public void pause(long nanos) {
    LockSupport.parkNanos(this, nanos);
  }

  @Override
  public void giveWay() {
    Thread.yield();
  }

  @Override
  public Poller newPoller(int core) {
    return new ParkingPoller();
  }

  @Override
  public Thread newThread(Runnable worker, int core) {
    int cpu = cpus[core];
    Thread thread =
        factory.newThread(
            () -> {
              pinner.pin(cpu);
              worker.run();
            });
    if (thread == null) {
      throw new IllegalStateException("the thread factory made no thread for core " + core);
    }
    threads[core] = thread;
    return thread;
  }

  @Override
  public Parker newParker() {
    return new ThreadParker();
  }

  /** Parks the thread that has made it, a virtual one too. */
  private static final class ThreadParker implements Parker {
    private final Thread thread = Thread.currentThread();
    private volatile boolean woken;

    @Override
    public void park() throws InterruptedException {
      while (!woken) {
        LockSupport.park(this);
        if (Thread.interrupted()) {
          throw new InterruptedException();
        }
      }
      woken = false;
    }

    @Override
    public void unpark() {
      woken = true;
      LockSupport.unpark(thread);
    }
  }

  /** Parks the thread that polls. */
  private static final class ParkingPoller implements Poller {
    private static final int NOTHING = 0;
    private static final int WAITING = 1;
    private static final int WOKEN = 2;

    private final PaddedInt state = new PaddedInt();
    private volatile @Nullable Thread waiter;

    @Override
    public void poll(long maxWaitNanos) {
      if (maxWaitNanos <= 0) {
        return;
      }
      waiter = Thread.currentThread();
      if (state.compareAndSet(NOTHING, WAITING)) {
        // One park, not a loop: returning early is allowed, and the worker looks for itself.
        if (maxWaitNanos == Long.MAX_VALUE) {
          LockSupport.park(this);
        } else {
          LockSupport.parkNanos(this, maxWaitNanos);
        }
        if (Thread.interrupted()) {
          // An interrupt meant for a handler that is over: it would turn every park into a spin.
        }
      }
      state.setVolatile(NOTHING);
    }

    @Override
    public void wakeup() {
      // Sticky: a wake-up before the wait is found by the waiter's compare-and-set.
      while (true) {
        int s = state.getVolatile();
        if (s == WOKEN || state.compareAndSet(s, WOKEN)) {
          if (s == WAITING) {
            LockSupport.unpark(waiter);
          }
          return;
        }
      }
    }
  }
}
