package dev.mely;

import dev.mely.flight.Flight;
import org.jspecify.annotations.Nullable;

/**
 * One core's thread: runs the colors of its core-queue in batches, steals when it has none, waits
 * when there is nothing to steal.
 *
 * <pre>
 *      +--------------------------------------------------------+
 *      v                                                        |
 *    PICK --color--> RUN --batch over--> FINISH ----------------+
 *    | |  ^          ^ |                   |                    |
 *    | |  |          | +--event--> RUN     | every so often     |
 *    | |  |          |                     v                    |
 *    | |  |          |                   POLL ------------------+
 *    | |  |          |                     |
 *    | |  |          | stolen              | a core is stuck
 *    | |  |          |                     |
 *    | +--)-empty--> SEARCH <----------------+
 *    |    |          |
 *    |    |          | nothing, after a while
 *    |    |          v
 *    |    |       PUBLISH --> RECHECK --nothing--> PARK --> WAKE
 *    |    |                      | work                      |
 *    |    +----------------------+---------------------------+
 *    | closed
 *    +--> EXIT
 * </pre>
 *
 * <p>{@link #step} performs one action on shared memory, so that a driver can interleave workers
 * and producers at every point where it matters. Production calls the same in two loops.
 *
 * <p>Source: Mely, section IV-A. All fields belong to the worker's thread; what others touch is in
 * {@link Core}.
 */
final class Worker extends PadBefore implements Runnable {
  static final int PICK = 0;
  static final int RUN = 1;
  static final int FINISH = 2;
  static final int POLL = 3;
  static final int SEARCH = 4;
  static final int PUBLISH = 5;
  static final int RECHECK = 6;
  static final int PARK = 7;
  static final int WAKE = 8;
  static final int EXIT = 9;

  /** After so many colors the clock is read to see whether a poll is due. */
  private static final int POLL_COLORS = 16;

  /** One run in about so many is timed. */
  private static final int SAMPLE_EVENTS = 256;

  /** A stream of events is taken to go on for so long at most. */
  private static final long STREAM_NANOS = 1_000_000;

  private final Scheduler scheduler;
  private final StealPolicy policy;

  /** {@link StealPolicy#stealing} and {@link StealPolicy#usesStealingQueue}, at hand. */
  private final boolean stealing;

  private final boolean usesStealingQueue;
  private final Core core;
  private final Host host;
  private final int batch;
  private final long batchNanos;
  private final @Nullable Overload overload;
  private final Idler idler;
  final Counters counters = new Counters();

  private int state = PICK;

  // The batch that is running.
  private @Nullable Color color;
  private int ran;
  private long elapsed;
  private int gainedEvents;
  private long gainedWeight;
  private long carried;
  private long weighed;
  private long expected;
  private int measured;

  /** Whether the batch was stolen, and when: 0 if not. */
  private long stolenAt;

  /** The handler that runs, or was the last to. Read by the watchdog, plainly, long after. */
  private @Nullable Handler<?> handler;

  /**
   * Whether the flight recorder wants every handler timed: asked now and then, not for each event.
   */
  private boolean watched = Flight.watchesHandlers();

  private int sampleIn = SAMPLE_EVENTS;
  private int pollIn = POLL_COLORS;
  private long lastPoll;

  Worker(Scheduler scheduler, Core core) {
    this.scheduler = scheduler;
    this.policy = scheduler.policy;
    this.stealing = policy.stealing();
    this.usesStealingQueue = policy.usesStealingQueue();
    this.core = core;
    this.host = scheduler.host;
    this.batch = scheduler.settings.batch();
    this.batchNanos = scheduler.settings.batchNanos();
    this.overload = scheduler.overload;
    this.idler = new Idler(scheduler, core, counters);
  }

  @Override
  public void run() {
    while (state != EXIT) {
      try {
        runColors();
        idle();
      } catch (Throwable t) {
        // Handlers' failures are caught where they run. What comes here is a fault of the host
        // (no memory, a clock or thread factory that throws): the worker goes on, and the color
        // that it holds is released.
        scheduler.settings.errors().report(null, this, t);
        state = color == null ? PICK : FINISH;
      }
    }
    closePoller();
  }

  private void closePoller() {
    while (!core.tryLockPoller()) {
      Thread.onSpinWait();
    }
    core.poller.close();
  }

  /**
   * The states of a busy worker, in a loop of their own. What an idle worker meets for the first
   * time makes the compiler throw away the code that took it for impossible: let that be the code
   * of {@link #idle}, and not of what another worker is running at this moment.
   */
  private void runColors() {
    int next = state;
    while (next <= FINISH) {
      next =
          switch (next) {
            case PICK -> pick();
            case RUN -> runOne();
            default -> finish();
          };
    }
    state = next;
  }

  /** All other states, until there is something to run. */
  private void idle() {
    while (state > FINISH && state != EXIT) {
      step();
    }
  }

  /** Performs one action and returns the state that follows: all that a driver needs. */
  int step() {
    state =
        switch (state) {
          case PICK -> pick();
          case RUN -> runOne();
          case FINISH -> finish();
          case POLL -> poll();
          case SEARCH -> search();
          case PUBLISH -> idler.publish();
          case RECHECK -> idler.recheck();
          case PARK -> idler.park();
          case WAKE -> wake();
          default -> EXIT;
        };
    return state;
  }

  int state() {
    return state;
  }

  /** The color that this worker holds, or null. */
  @Nullable Color held() {
    return color;
  }

  /** An event was appended to the running color by its own handler. */
  void appended(long weight) {
    gainedEvents++;
    gainedWeight += weight;
  }

  // ---- Running colors

  private int pick() {
    if (scheduler.phase() == Scheduler.CLOSED) {
      return exit();
    }
    Color next = core.queue.poll();
    if (next == null) {
      return core.queue.isEmpty() ? idler.begin() : PICK; // else: a thief or a producer is at it
    }
    if (!next.claim(core.index, core.index)) {
      return PICK; // stale: the color was stolen
    }
    if (usesStealingQueue && core.stealing.isInUse()) {
      long timeLeft = next.weight();
      if (scheduler.worthiness.isWorthy(timeLeft)) {
        core.stealing.discard(next, scheduler.worthiness.interval(timeLeft));
      }
    }
    return begin(next);
  }

  private int search() {
    int after = idler.search();
    if (after == RUN) {
      stolenAt = idler.stolenAt();
      return begin(idler.takePrey());
    }
    return after;
  }

  private int begin(Color next) {
    color = next;
    ran = 0;
    elapsed = 0;
    gainedEvents = 0;
    gainedWeight = 0;
    carried = 0;
    weighed = 0;
    expected = 0;
    measured = 0;
    idler.end();
    core.epoch.setOpaque(core.epoch.getPlain() + 1);
    return RUN;
  }

  private int runOne() {
    Color running = running();
    Event event = running.take();
    if (event == null) {
      return FINISH;
    }
    Handler<Object> toRun = event.detach();
    if (handler != toRun) {
      handler = toRun; // not each time: the collector takes note of every store of a reference
    }
    if (stealing) {
      weighOut(running, toRun);
    }
    if (overload != null && overload.taken(running, event, toRun)) {
      return RUN; // dropped: the color holds more than it may
    }
    boolean timed = --sampleIn == 0 || toRun.wantsTiming() || watched;
    if (timed) {
      runTimed(toRun, event);
    } else {
      elapsed += toRun.costNanos();
      runQuick(toRun, event);
    }
    return ++ran < batch && elapsed < batchNanos && scheduler.phase() != Scheduler.CLOSED
        ? RUN
        : FINISH;
  }

  private void weighOut(Color running, Handler<Object> taken) {
    if (stolenAt != 0) {
      expected += taken.costNanos();
    }
    if (taken.isMeasured()) {
      measured++;
      weighed += policy.weigh(taken);
    }
    int first = running.clearFirst();
    if (first == 0) {
      gainedEvents--;
      gainedWeight -= policy.weigh(taken);
    } else {
      carried = first;
    }
  }

  private void runQuick(Handler<Object> toRun, Event event) {
    Object payload = event.payload();
    if (payload == null) {
      return; // cancelled while it waited
    }
    counters.events++;
    try {
      toRun.handle(payload);
    } catch (Throwable t) {
      failed(payload, t);
    }
    if (event instanceof TimerEvent timer && timer.rearm(host.nanos())) {
      scheduler.scheduleAgain(timer);
    }
  }

  private void runTimed(Handler<Object> toRun, Event event) {
    if (sampleIn <= 0) {
      // A varying distance, so that a periodic mix of handlers cannot hide from the samples.
      sampleIn = SAMPLE_EVENTS / 2 + host.random(SAMPLE_EVENTS);
    }
    long start = host.nanos();
    if (watched) {
      runWatched(toRun, event);
    } else {
      runQuick(toRun, event);
    }
    long nanos = host.nanos() - start;
    elapsed += nanos;
    toRun.observe(nanos);
  }

  private void runWatched(Handler<Object> toRun, Event event) {
    Object flight = Flight.beginHandler();
    runQuick(toRun, event);
    if (flight != null) {
      Flight.endHandler(flight, core.index, toRun, running());
    }
  }

  private void failed(Object event, Throwable t) {
    counters.errors++;
    scheduler.settings.errors().report(running(), event, t);
  }

  private int finish() {
    Color done = running();
    counters.batches++;
    if (stealing) {
      settleBatch(done);
    }
    if (Thread.interrupted()) {
      // A handler's own business, and over: it must not reach the next color's handler.
    }
    boolean stolen = stolenAt != 0;
    if (stolen) {
      idler.account(host.nanos() - stolenAt, expected, handler);
      stolenAt = 0;
    }
    if (scheduler.phase() == Scheduler.CLOSED) {
      color = null;
      scheduler.rejectAll(done);
      return exit();
    }
    if (done.hasPending() || !settle(done)) {
      color = null;
      scheduler.enqueue(done, scheduler.placement(done));
    }
    color = null;
    boolean rescue = idler.seesStuck() && !stolen; // take turns: one of ours, one of theirs
    return --pollIn <= 0 || elapsed >= batchNanos || rescue ? POLL : PICK;
  }

  /** Brings the color's number and weight of pending events up to date, with one atomic add. */
  private void settleBatch(Color done) {
    long left = measured > 0 ? (long) done.pendingCount() + gainedEvents : 0;
    if (left > 0) {
      // What a measured handler costs may have changed between an event's registration and now.
      // The number of events is exact; let the weight follow what such events weigh today.
      long mean = weighed / measured;
      gainedWeight += (left * mean - (done.weight() + gainedWeight)) / 4;
    }
    int asManyAsRan = carried == 0 ? 0 : 1; // the first is not among those that are counted
    if (gainedEvents >= asManyAsRan && (ran >= batch || elapsed >= batchNanos)) {
      weighStream(done);
    }
    if (gainedEvents != 0 || gainedWeight != 0) {
      done.addPending(gainedEvents, gainedWeight);
    }
  }

  /**
   * The color fills its batches and registers its own successors: a stream, which never has much
   * pending and will go on all the same, most likely for as long as it has so far. That counts as
   * waiting if it keeps others waiting here while a core has nothing to do. Kept with the oldest
   * event, so that it is gone when that is taken, and is weighed anew after the next batch.
   */
  private void weighStream(Color done) {
    IdleCores others = scheduler.idle;
    if (!policy.timeLeft()
        || (others.idle() == 0 && others.searching() == 0)
        || core.queue.isEmpty()) {
      return;
    }
    Handler<?> next = done.nextHandler();
    if (next != null && done.pendingCount() + gainedEvents > 0) {
      long weight = policy.weigh(next);
      gainedEvents--;
      gainedWeight -= weight;
      done.setFirstWeight(Math.min(carried + ran * weight, STREAM_NANOS));
    }
  }

  private boolean settle(Color done) {
    if (stealing) {
      done.settleWeight();
    }
    return done.release(core.index);
  }

  private Color running() {
    Color running = color;
    if (running == null) {
      throw new AssertionError("no color is running");
    }
    return running;
  }

  /** Looks for external events and due timers while colors wait, and after cores that are stuck. */
  private int poll() {
    pollIn = POLL_COLORS;
    watched = Flight.watchesHandlers();
    long now = host.nanos();
    if (now - lastPoll >= scheduler.settings.pollNanos()) {
      lastPoll = now;
      core.poll(0, counters, scheduler.settings.errors());
      scheduler.fireTimers(core, now, core);
      idler.look(now);
    }
    return idler.seesStuck() ? idler.rescue() : PICK;
  }

  private int wake() {
    watched = Flight.watchesHandlers();
    return idler.wake();
  }

  private int exit() {
    idler.end();
    scheduler.sweep();
    return EXIT;
  }

  // ---- For the watchdog

  /** The handler that runs now, or ran last. Exact only if the core has been stuck for a while. */
  @Nullable Handler<?> handler() {
    return handler;
  }
}
