package dev.mely;

import dev.mely.spi.Poller;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A host for Lincheck: the workers are its threads, each reading of the clock advances the time,
 * and an idle worker waits on a monitor. For Lincheck, {@code LockSupport.park} may return
 * spuriously, so it could not find a lost wake-up; it reports a {@code wait} without a {@code
 * notify}.
 */
final class MonitorHost implements Host {
  private final long tick;
  private final @Nullable Thread[] threads;
  private final Worker[] workers;
  private final AtomicLong now = new AtomicLong(1_000_000_000);
  private final AtomicReference<@Nullable MonitorParker> first = new AtomicReference<>();
  private final AtomicBoolean interruptsNext = new AtomicBoolean();

  /**
   * @param cores how many
   * @param tick nanoseconds that pass with each look at the clock; 0: it stands still
   */
  MonitorHost(int cores, long tick) {
    this.threads = new @Nullable Thread[cores];
    this.workers = new Worker[cores];
    this.tick = tick;
  }

  /** A runtime in such a world, without workers' threads. */
  Scheduler newScheduler(StealPolicy policy, ErrorHandler errors) {
    SettingsBuilder settings = new SettingsBuilder();
    settings.cores = cores();
    settings.policy = policy;
    settings.errors = errors;
    return new Scheduler(this, settings.build(), this::newPoller);
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
  public int cores() {
    return threads.length;
  }

  /** The caller makes the steps of that core's worker. */
  void enter(int core) {
    threads[core] = Thread.currentThread();
  }

  Worker worker(int core) {
    return workers[core];
  }

  @Override
  public @Nullable Thread thread(int core) {
    return threads[core];
  }

  @Override
  public boolean isCurrent(int core) {
    return threads[core] == Thread.currentThread();
  }

  /** Lincheck's own way to switch threads must not show. */
  @Override
  public boolean isWaiting(int core) {
    return false;
  }

  /** Whom it waits for may have to run first. */
  @Override
  public void pause(long nanos) {
    Thread.yield();
  }

  @Override
  public void giveWay() {
    Thread.yield();
  }

  @Override
  public Poller newPoller(int core) {
    return new MonitorPoller();
  }

  @Override
  public Parker newParker() {
    MonitorParker parker = new MonitorParker();
    first.compareAndSet(null, parker); // then looks; the interrupting thread looks here afterwards
    if (interruptsNext.compareAndSet(true, false)) {
      parker.interrupt();
    }
    return parker;
  }

  /** Interrupts the thread that has parked first here, or that will. */
  void interruptFirst() {
    interruptsNext.set(true);
    MonitorParker parker = first.get();
    if (parker != null && interruptsNext.compareAndSet(true, false)) {
      parker.interrupt();
    }
  }

  @Override
  public Thread newThread(Runnable worker, int core) {
    workers[core] = (Worker) worker;
    return new StandIn();
  }

  /** The threads are Lincheck's: the one that makes a worker's steps replaces this one. */
  private static final class StandIn extends Thread {
    @Override
    public void start() {
      // Nobody is there.
    }
  }

  /** Waits on itself; an interrupt counts more than a wake-up, as it may with real threads. */
  private static final class MonitorParker implements Parker {
    private boolean woken;
    private boolean interrupted;

    @Override
    public synchronized void park() throws InterruptedException {
      while (!woken && !interrupted) {
        wait();
      }
      if (interrupted) {
        throw new InterruptedException();
      }
      woken = false;
    }

    @Override
    public synchronized void unpark() {
      woken = true;
      notifyAll();
    }

    synchronized void interrupt() {
      interrupted = true;
      notifyAll();
    }
  }

  /** Waits on itself: to no end while the clock stands still, else no longer than it must. */
  private final class MonitorPoller implements Poller {
    private boolean woken;

    @Override
    public synchronized void poll(long maxWaitNanos) throws InterruptedException {
      while (!woken && maxWaitNanos > 0 && (tick == 0 || maxWaitNanos == Long.MAX_VALUE)) {
        wait();
      }
      woken = false;
    }

    @Override
    public synchronized void wakeup() {
      woken = true;
      notifyAll();
    }
  }
}
