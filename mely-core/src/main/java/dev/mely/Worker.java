package dev.mely;

import dev.mely.flight.Flight;
import dev.mely.jit.Boundary;
import dev.mely.stage.StageRecorder;
import org.jspecify.annotations.Nullable;

/**
 * One core's thread: runs the colors of its core-queue in batches, steals when it has none, waits
 * when there is nothing to steal.
 *
 * <pre>
 *      +--------------------------------------------------------+
 *      v                                                        |
 *    PICK --color--> RUN --batch over--> FINISH ----------------+
 *    | |  ^          ^ |                 | |                    |
 *    | |  |          | +--event--> RUN   | | every so often     |
 *    | |  |          +-----alone---------+ |                    |
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
 * {@link Core}, what is known of the batch that runs in {@link Batch}.
 */
final class Worker extends PadBefore implements Runnable {
  /** After so many colors the clock is read to see whether a poll is due. */
  private static final int POLL_COLORS = 16;

  /** One run in about so many is timed. */
  private static final int SAMPLE_EVENTS = 256;

  private final Scheduler scheduler;
  private final StealPolicy policy;

  /** {@link StealPolicy#stealing} and {@link StealPolicy#usesStealingQueue}, at hand. */
  private final boolean stealing;

  private final boolean usesStealingQueue;
  private final Core core;
  private final Batch batch;
  private final @Nullable PoolGate gate;
  private final Counters counters;
  private final Host host;
  private final @Nullable Overload overload;
  private final @Nullable StageRecorder stages;
  private final Timers timers;
  private final Idler idler;

  private int state = WorkerState.PICK;

  /**
   * Whether the flight recorder wants every handler timed: asked now and then, not for each event;
   * or the recorder of stages does.
   */
  private boolean watched;

  /** When so many events have run, the next one is timed. */
  private long sampleAt = SAMPLE_EVENTS;

  private int pollIn = POLL_COLORS;
  private long lastPoll;

  Worker(Scheduler scheduler, Timers timers, Core core) {
    this.scheduler = scheduler;
    this.policy = scheduler.policy;
    this.stealing = policy.stealing();
    this.usesStealingQueue = policy.usesStealingQueue();
    this.core = core;
    this.host = scheduler.host;
    this.batch = core.batch;
    this.gate = core.gate;
    this.counters = core.counters;
    this.overload = scheduler.overload;
    this.stages = scheduler.stages;
    this.timers = timers;
    this.idler = new Idler(scheduler, timers, core);
    this.watched = isWatched();
  }

  @Override
  public void run() {
    if (gate != null) {
      gate.begin();
    }
    while (state != WorkerState.EXIT) {
      try {
        runColors();
        idle();
      } catch (Throwable t) {
        recover(t);
      }
    }
    core.closePoller();
  }

  /**
   * Goes on after a fault of the host (no memory, a clock that throws) has ended a step in its
   * middle; handlers' failures are caught where they run. The color that it holds is released, one
   * that it has just stolen is run, and nobody takes it for parked. No step calls the host between
   * taking an event and running it, nor between two changes that belong together.
   */
  void recover(Throwable fault) {
    scheduler.settings.errors.report(null, this, fault);
    if (batch.color != null) {
      state = WorkerState.FINISH;
    } else {
      state = idler.recover() ? begin(idler.takePrey()) : WorkerState.PICK;
    }
  }

  /**
   * The states of a busy worker, in a loop of their own. What an idle worker meets for the first
   * time makes the compiler throw away the code that took it for impossible: let that be the code
   * of {@link #idle}, and not of what another worker is running at this moment.
   */
  private void runColors() {
    int next = state;
    while (next <= WorkerState.FINISH) {
      next =
          switch (next) {
            case WorkerState.PICK -> pick();
            case WorkerState.RUN -> runEvents();
            default -> finish();
          };
    }
    state = next;
  }

  private int runEvents() {
    int next;
    do {
      next = runOne();
    } while (next == WorkerState.RUN);
    return next;
  }

  /** All other states, until there is something to run. */
  private void idle() {
    while (state > WorkerState.FINISH && state != WorkerState.EXIT) {
      state = idleStep();
    }
  }

  /** Performs one action and returns the state that follows: all that a driver needs. */
  int step() {
    state =
        switch (state) {
          case WorkerState.PICK -> pick();
          case WorkerState.RUN -> runOne();
          case WorkerState.FINISH -> finish();
          default -> idleStep();
        };
    return state;
  }

  /** Knows nothing of the busy states, or their code would be compiled into this one once more. */
  private int idleStep() {
    return switch (state) {
      case WorkerState.POLL -> poll();
      case WorkerState.SEARCH -> search();
      case WorkerState.PUBLISH -> idler.publish();
      case WorkerState.RECHECK -> idler.recheck();
      case WorkerState.PARK -> idler.park();
      case WorkerState.WAKE -> wake();
      default -> WorkerState.EXIT;
    };
  }

  int state() {
    return state;
  }

  // ---- Running colors

  private int pick() {
    if (scheduler.phase() == Scheduler.CLOSED) {
      return exit();
    }
    Color next = gate == null ? null : gate.poll();
    if (next == null) {
      next = core.queue.poll();
    }
    if (next == null) {
      return core.queue.isEmpty()
          ? idler.begin()
          : WorkerState.PICK; // else: a thief or a producer is at it
    }
    if (!next.claim(core.index, core.index)) {
      return WorkerState.PICK; // stale: the color was stolen
    }
    if (usesStealingQueue && core.stealing.isInUse()) {
      long timeLeft = next.weight();
      if (scheduler.worthiness.isWorthy(timeLeft)) {
        discard(next, timeLeft);
      }
    }
    return begin(next);
  }

  private void discard(Color claimed, long timeLeft) {
    if (Boundary.FILLS) {
      Boundary.fill(
          0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
          0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
          0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    }
    core.stealing.discard(claimed, scheduler.worthiness.interval(timeLeft));
  }

  private int search() {
    int after = idler.search();
    if (after == WorkerState.RUN) {
      batch.beginStolen(idler.takePrey(), idler.stolenAt());
      return began();
    }
    return after;
  }

  private int begin(Color next) {
    batch.begin(next);
    return began();
  }

  private int began() {
    idler.end();
    core.epoch.setOpaque(core.epoch.getPlain() + 1);
    return WorkerState.RUN;
  }

  private int runOne() {
    Color running = batch.running();
    if (gate != null && gate.refuses(running)) {
      return WorkerState.FINISH;
    }
    Event event = running.take();
    if (event == null) {
      return WorkerState.FINISH;
    }
    Handler<Object> toRun = event.detach();
    batch.take(running, toRun);
    if (overload != null && overload.taken(running, event, toRun)) {
      // Dropped: the color holds more than it may. Whoever was told may have forked.
      return batch.after() == null ? WorkerState.RUN : WorkerState.FINISH;
    }
    if (counters.events >= sampleAt || toRun.wantsTiming() || watched) {
      runTimed(toRun, event);
    } else {
      runQuick(toRun, event);
    }
    return batch.mayGoOn(toRun) && scheduler.phase() != Scheduler.CLOSED
        ? WorkerState.RUN
        : WorkerState.FINISH;
  }

  private void runQuick(Handler<Object> toRun, Event event) {
    if (event instanceof SpecialEvent special) {
      runSpecial(toRun, special);
    } else {
      handle(toRun, Envelope.open(event));
    }
  }

  private void runSpecial(Handler<Object> toRun, SpecialEvent event) {
    if (event instanceof TimerEvent timer) {
      runTimer(toRun, timer);
    } else if (event instanceof Permit permit) {
      runPermit(toRun, permit);
    }
  }

  private void runPermit(Handler<Object> toRun, Permit permit) {
    batch.endWith(permit);
    Object payload = permit.payload();
    if (payload == null) {
      return; // it is only a place in the color's queue
    }
    counters.events++;
    Object[] held = permit.holds();
    try {
      Holding.begin(held);
      call(toRun, payload);
    } catch (Throwable t) {
      permit.failed(t);
      failed(payload, t);
    } finally {
      Holding.end(held);
    }
  }

  private void handle(Handler<Object> toRun, Object payload) {
    counters.events++;
    try {
      call(toRun, payload);
    } catch (Throwable t) {
      failed(payload, t);
    }
  }

  private static void call(Handler<Object> toRun, Object payload) throws Exception {
    if (Boundary.FILLS) {
      Boundary.fill(
          0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
          0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
          0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    }
    toRun.handle(payload);
  }

  private void runTimer(Handler<Object> toRun, TimerEvent timer) {
    Object payload = timer.payload();
    if (payload != null) { // else: cancelled while it waited
      handle(toRun, payload);
      rearm(timer);
    }
  }

  /**
   * A clock that fails has stood still since the timer was due: there is no other chance for it.
   */
  private void rearm(TimerEvent timer) {
    long now = timer.deadline();
    try {
      now = host.nanos();
    } catch (Throwable t) {
      scheduler.settings.errors.report(null, this, t);
    }
    if (timer.rearm(now)) {
      timers.scheduleAgain(timer);
    }
  }

  private void runTimed(Handler<Object> toRun, Event event) {
    boolean sampled = counters.events >= sampleAt;
    long start = 0;
    Object flight = null;
    try {
      if (sampled) {
        sampleAt = counters.events + SAMPLE_EVENTS; // should the host fail
        // A varying distance, so that a periodic mix of handlers cannot hide from the samples.
        sampleAt = counters.events + SAMPLE_EVENTS / 2 + host.random(SAMPLE_EVENTS);
      }
      flight = watched ? Flight.beginHandler() : null;
      if (stages != null) {
        stages.begin(core.index, toRun.stage(), toRun::parts);
      }
      start = host.nanos();
    } catch (Throwable t) {
      scheduler.settings.errors.report(null, this, t);
      runQuick(toRun, event); // it has been taken: nobody else would ever run it
      return;
    }
    long before = counters.events;
    runQuick(toRun, event);
    long nanos = host.nanos() - start;
    if (stages != null) {
      stages.end(core.index, counters.events != before, nanos, toRun.penalty());
    }
    batch.timed(nanos);
    toRun.observe(nanos);
    if (flight != null && counters.events != before) { // else: a place in the queue, nobody ran
      Flight.endHandler(flight, core.index, toRun, batch.running());
    }
  }

  private void failed(Object event, Throwable t) {
    counters.errors++;
    scheduler.settings.errors.report(batch.running(), event, t);
  }

  private int finish() {
    Color done = batch.running();
    batch.end();
    long stolenAt = batch.takeStolenAt();
    if (stolenAt != 0) {
      accountSteal(stolenAt);
    }
    counters.batches++;
    if (stealing) {
      weigh(done);
    }
    if (Thread.interrupted()) {
      // A handler's own business, and over: it must not reach the next color's handler.
    }
    Permit after = batch.takeAfter();
    if (after != null) {
      if (after.keepsColor()) {
        batch.color = null;
        after.after(done);
        return afterBatch(stolenAt);
      }
      after.after(done);
    }
    if (scheduler.phase() == Scheduler.CLOSED) {
      return leave(done);
    }
    int next = afterBatch(stolenAt);
    if (done.hasPending() || !settle(done)) {
      return goOn(done, next);
    }
    batch.color = null;
    return next;
  }

  /** Events are left in the color. */
  private int goOn(Color done, int next) {
    if (gate != null) {
      int missing = gate.missing(done);
      if (missing != PoolGate.NOTHING_MISSING) {
        batch.color = null;
        scheduler.passOver(done, core, gate, missing);
        return next;
      }
    }
    if (next == WorkerState.PICK && isAlone()) {
      return begin(done);
    }
    Core home = scheduler.placement(done);
    batch.color = null; // from the next line on it may be anybody's
    scheduler.enqueue(done, home);
    return next;
  }

  /**
   * Whether the color that has run would be the next again: in the queue it would only tempt
   * thieves, who would take it from a core that has nothing else.
   */
  private boolean isAlone() {
    return core.queue.isEmpty() && !scheduler.migrates() && (gate == null || gate.isEmpty());
  }

  private int afterBatch(long stolenAt) {
    boolean rescue = idler.seesStuck() && stolenAt == 0; // take turns: one of ours, one of theirs
    return --pollIn <= 0 || batch.tookLong() || rescue ? WorkerState.POLL : WorkerState.PICK;
  }

  private void weigh(Color done) {
    batch.weigh(done);
    if (batch.isStream() && keepsWaiting()) {
      batch.weighStream(done);
    }
    batch.settle(done);
  }

  /** First of all that a finished batch calls for: the host may fail, the rest is done once. */
  private void accountSteal(long stolenAt) {
    idler.account(host.nanos() - stolenAt, batch.expectedNanos(), batch.handler);
  }

  /** The runtime is closed, and the worker holds a color. */
  private int leave(Color held) {
    batch.color = null;
    scheduler.rejectAll(held);
    return exit();
  }

  /** Whether other colors wait here while a core has nothing to do. */
  private boolean keepsWaiting() {
    IdleCores others = scheduler.idle;
    return policy.timeLeft()
        && (others.idle() != 0 || others.searching() != 0)
        && !core.queue.isEmpty();
  }

  private boolean settle(Color done) {
    if (stealing) {
      done.settleWeight();
    }
    return done.release(core.index);
  }

  /** Looks for external events and due timers while colors wait, and after cores that are stuck. */
  private int poll() {
    if (Boundary.FILLS) {
      Boundary.fill(
          0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
          0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
          0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    }
    pollIn = POLL_COLORS;
    watched = isWatched();
    long now = host.nanos();
    if (now - lastPoll >= scheduler.settings.pollNanos) {
      lastPoll = now;
      core.poll(0, counters);
      timers.fire(core, now, core);
      idler.look(now);
      idler.age(now);
    }
    return idler.seesStuck() ? idler.rescue() : WorkerState.PICK;
  }

  private boolean isWatched() {
    return stages != null || Flight.watchesHandlers();
  }

  private int wake() {
    watched = isWatched();
    return idler.wake();
  }

  private int exit() {
    idler.end();
    scheduler.sweep();
    return WorkerState.EXIT;
  }
}
