package dev.mely;

import dev.mely.jit.OwnCompilation;
import dev.mely.spi.Poller;
import dev.mely.stage.Plan;
import java.util.function.BiConsumer;

/**
 * One core, as far as others may touch it. The fields of this object never change once the workers
 * run (but for {@link #failures}); what changes sits behind them, each on cache lines of its own.
 *
 * <pre>
 *   queue, stealing, timers   any thread
 *   parked                    any thread, by the protocol of IdleCores
 *   epoch, wakes              written by the worker; read by StuckDetector, BlockedHandlers and
 *                             Quiescence
 *   polling, poller           the thread that has set the flag; wake-ups: any thread
 *   batch, counters           the worker; others read them to tell people, or to see whether
 *                             anything has moved, and what they read may be out of date
 * </pre>
 *
 * <p>What only the worker knows is in {@link Worker}.
 */
final class Core {
  /** {@link #parked}: the worker runs or searches. */
  static final int AWAKE = 0;

  /** {@link #parked}: the worker waits in its poller, or is about to. */
  static final int PARKED = 1;

  /** {@link #parked}: woken to search for something to steal. */
  static final int CALLED = 2;

  /** How often to ask a poller that fails to wake the worker up. */
  private static final int WAKE_TRIES = 3;

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

  /** What the worker runs. */
  final Batch batch;

  /** What the worker has done. */
  final Counters counters;

  private final Errors errors;

  /** Polls that have failed in a row. Guarded by {@link #polling}. */
  private int failures;

  /**
   * @param noRoom told of a color for whose entry memory has run out
   * @param room called by a thread that has freed an object for which a color is in line
   */
  Core(
      int index,
      Poller poller,
      Settings settings,
      BiConsumer<Color, Throwable> noRoom,
      Runnable room) {
    this.index = index;
    this.poller = poller;
    this.errors = settings.errors;
    this.counters = new Counters(settings.cores);
    Plan plan = settings.plan;
    this.queue =
        plan == null
            ? new CoreQueue(new TurnOrder(settings.cheapestFirst), settings.queueCapacity, noRoom)
            : new GatedQueue(index, settings, plan, counters, noRoom, room);
    this.batch = new Batch(settings, queue.own());
    this.stealing = new StealingQueue(settings.stealingCapacity, settings.stealsOldest);
  }

  /** Whether nothing waits here that the core will run. */
  boolean hasNothing() {
    return queue.isEmpty() && !queue.holdsInLine();
  }

  boolean isParked() {
    return parked.getVolatile() == PARKED;
  }

  /**
   * Looks for the core's external events, unless another thread does. A failure of the poller is
   * reported and has no other effect; of failures in a row, the first, the second, the fourth and
   * so on are reported.
   *
   * @param maxWaitNanos see {@link Poller#poll}
   * @return false if another thread does, or the poller has failed: the caller has not waited
   */
  boolean poll(long maxWaitNanos, Counters counters) {
    if (!tryLockPoller()) {
      return false;
    }
    counters.polls++;
    try {
      pollApart(maxWaitNanos);
      if (failures != 0) {
        failures = 0;
      }
      return true;
    } catch (Throwable t) {
      if (Integer.bitCount(++failures) == 1) {
        errors.report(null, poller, t);
      }
      return false;
    } finally {
      unlockPoller();
    }
  }

  @OwnCompilation
  private void pollApart(long maxWaitNanos) throws Exception {
    poller.poll(maxWaitNanos);
  }

  /**
   * How often the poller has failed in a row. Exact for the thread that polled last, else a hint.
   */
  int pollFailures() {
    return failures;
  }

  /** Releases what the poller holds. No thread polls from then on. */
  void closePoller() {
    while (!tryLockPoller()) {
      Thread.onSpinWait();
    }
    try {
      poller.close();
    } catch (Throwable t) {
      errors.report(null, poller, t);
    }
  }

  /**
   * Ends the worker's wait. Any thread. A poller that fails is reported and tried again, without an
   * exception for the caller, whose event is in the queue already. If it always fails its worker
   * stays asleep, and {@link StuckDetector} takes the core for stuck.
   */
  @OwnCompilation
  void wakeUp() {
    for (int i = 0; i < WAKE_TRIES; i++) {
      try {
        poller.wakeup();
        return;
      } catch (Throwable t) {
        errors.report(null, poller, t);
      }
    }
  }

  /** Takes the right to poll this core's events, if no thread has it. */
  boolean tryLockPoller() {
    return polling.getOpaque() == 0 && polling.compareAndSet(0, 1);
  }

  void unlockPoller() {
    polling.setRelease(0);
  }
}
