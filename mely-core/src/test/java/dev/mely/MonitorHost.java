package dev.mely;

import java.util.concurrent.atomic.AtomicLong;

/**
 * A world for Lincheck: the workers are its threads, time passes when somebody looks at the clock,
 * and an idle worker waits on a monitor. Lincheck takes {@code LockSupport.park} to return for no
 * reason, so that it could never see a lost wake-up; a {@code wait} without a {@code notify} it
 * reports.
 */
final class MonitorHost implements Host {
  private final long tick;
  private final AtomicLong now = new AtomicLong(1_000_000_000);

  /**
   * @param tick nanoseconds that pass with each look at the clock; 0: it stands still
   */
  MonitorHost(long tick) {
    this.tick = tick;
  }

  /** A runtime in such a world, without workers' threads. */
  static Scheduler newScheduler(int cores, StealPolicy policy, long tick, ErrorHandler errors) {
    MonitorHost host = new MonitorHost(tick);
    SettingsBuilder settings = new SettingsBuilder();
    settings.cores = cores;
    settings.policy = policy;
    settings.errors = errors;
    return new Scheduler(host, settings.build(), host::newPoller);
  }

  @Override
  public long nanos() {
    return tick == 0 ? now.get() : now.addAndGet(tick);
  }

  @Override
  public int random(int bound) {
    return 0;
  }

  @Override
  public boolean isCurrent(Core core) {
    return core.thread() == Thread.currentThread();
  }

  /** Lincheck's own way to switch threads must not show. */
  @Override
  public boolean isWaiting(Core core) {
    return false;
  }

  /** Whom it waits for may have to run first. */
  @Override
  public void pause(long nanos) {
    Thread.yield();
  }

  @Override
  public Poller newPoller(int core) {
    return new MonitorPoller();
  }

  @Override
  public Thread newThread(Worker worker, int core) {
    throw new UnsupportedOperationException("the threads are Lincheck's");
  }

  /** Waits on itself: to no end while the clock stands still, else no longer than it must. */
  private final class MonitorPoller implements Poller {
    private boolean woken;

    @Override
    public synchronized int poll(long maxWaitNanos) throws InterruptedException {
      while (!woken && maxWaitNanos > 0 && (tick == 0 || maxWaitNanos == Long.MAX_VALUE)) {
        wait();
      }
      woken = false;
      return 0;
    }

    @Override
    public synchronized void wakeup() {
      woken = true;
      notifyAll();
    }
  }
}
