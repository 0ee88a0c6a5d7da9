package dev.mely;

import org.jspecify.annotations.Nullable;

/**
 * One core as the others see it: what any thread may touch. The fields of this object never change
 * once the workers run; what changes sits behind them, each alone on its cache lines. What only the
 * core's own thread touches is in {@link Worker}.
 */
final class Core {
  /** {@link #parked}: the worker runs or searches. */
  static final int AWAKE = 0;

  /** {@link #parked}: the worker waits in its poller, or is about to. */
  static final int PARKED = 1;

  /** {@link #parked}: woken to search for something to steal. */
  static final int CALLED = 2;

  final int index;
  final CoreQueue queue;
  final StealingQueue stealing;
  final TimerQueue timers = new TimerQueue();

  /** AWAKE, PARKED or CALLED; the protocol is described in {@link IdleCores}. */
  final PaddedInt parked = new PaddedInt();

  /** Counts the colors that the worker has begun to run: if it stands still, the core is stuck. */
  final PaddedInt epoch = new PaddedInt();

  /** Counts how often the worker has woken up. Not an epoch: watchers wake up and begin nothing. */
  final PaddedInt wakes = new PaddedInt();

  /** 1 while a thread is inside {@link #poller}. */
  final PaddedInt polling = new PaddedInt();

  final Poller poller;

  /** Set before the thread starts, which publishes it. */
  private @Nullable Thread thread;

  private @Nullable Worker worker;

  Core(int index, Poller poller, Settings settings) {
    this.index = index;
    this.poller = poller;
    TurnOrder order = new TurnOrder(settings.order() == Mely.Order.CHEAPEST_FIRST);
    this.queue = new CoreQueue(order, settings.queueCapacity());
    this.stealing = new StealingQueue(settings.stealingCapacity(), settings.stealsOldest());
  }

  void attach(Worker newWorker) {
    worker = newWorker;
  }

  void attach(Thread newThread) {
    thread = newThread;
  }

  @Nullable Thread thread() {
    return thread;
  }

  Thread startedThread() {
    Thread t = thread;
    if (t == null) {
      throw new IllegalStateException("core " + index + " has no thread");
    }
    return t;
  }

  Worker worker() {
    Worker w = worker;
    if (w == null) {
      throw new IllegalStateException("core " + index + " has no worker yet");
    }
    return w;
  }

  boolean isParked() {
    return parked.getVolatile() == PARKED;
  }

  /**
   * Looks for the core's external events, unless another thread does. A failure of the poller is
   * reported, and that is all.
   *
   * @param maxWaitNanos see {@link Poller#poll}
   * @return false if another thread does
   */
  boolean poll(long maxWaitNanos, Counters counters, Errors errors) {
    if (!tryLockPoller()) {
      return false;
    }
    counters.polls++;
    try {
      poller.poll(maxWaitNanos);
    } catch (Throwable t) {
      errors.report(null, poller, t);
    } finally {
      unlockPoller();
    }
    return true;
  }

  /** Takes the right to poll this core's events, if nobody has it. */
  boolean tryLockPoller() {
    return polling.getOpaque() == 0 && polling.compareAndSet(0, 1);
  }

  void unlockPoller() {
    polling.setRelease(0);
  }
}
