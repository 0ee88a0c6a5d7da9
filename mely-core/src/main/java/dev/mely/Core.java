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
  final CoreQueue queue = new CoreQueue();
  final StealingQueue stealing;
  final TimerQueue timers = new TimerQueue();

  /** AWAKE, PARKED or CALLED; the protocol is described in {@link IdleCores}. */
  final PaddedInt parked = new PaddedInt();

  /** Counts the colors that the worker has begun to run: if it stands still, the core is stuck. */
  final PaddedInt epoch = new PaddedInt();

  /** 1 while a thread is inside {@link #poller}. */
  final PaddedInt polling = new PaddedInt();

  final Poller poller;

  /** Set before the thread starts, which publishes it. */
  private @Nullable Thread thread;

  private @Nullable Worker worker;

  Core(int index, Poller poller, int stealingCapacity) {
    this.index = index;
    this.poller = poller;
    this.stealing = new StealingQueue(stealingCapacity);
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

  /** Takes the right to poll this core's events, if nobody has it. */
  boolean tryLockPoller() {
    return polling.getOpaque() == 0 && polling.compareAndSet(0, 1);
  }

  void unlockPoller() {
    polling.setRelease(0);
  }
}
