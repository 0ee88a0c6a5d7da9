package dev.mely;

import dev.mely.jit.OwnCompilation;
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
 *    | |  |          | stolen              | a core is stuck, or has far more
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
  /** Number of colors between two looks at the clock, to see whether a poll is due. */
  private static final int POLL_COLORS = 16;

  /** Spins on an entry that is not written yet, before the worker yields. A power of two. */
  private static final int GIVE_WAY_WAITS = 64;

  private final Scheduler scheduler;
  private final StealPolicy policy;

  /** {@link StealPolicy#stealing} and {@link StealPolicy#usesStealingQueue}, cached. */
  private final boolean stealing;

  private final boolean usesStealingQueue;
  private final Core core;
  private final Batch batch;
  private final Counters counters;
  private final Host host;
  private final @Nullable Overload overload;
  private final Pauses pauses;
  private final Timers timers;
  private final Idler idler;
  private final EventRunner runner;

  private int state = WorkerState.PICK;

  /** Spins on entries that were not written yet. */
  private int waits;

  /** Whether a thief has not been woken although that is worth it; until the poll that follows. */
  private boolean quiet;

  private int pollIn = POLL_COLORS;
  private long lastPoll;

  Worker(Scheduler scheduler, Timers timers, Core core) {
    this.scheduler = scheduler;
    this.policy = scheduler.policy;
    this.stealing = policy.steals();
    this.usesStealingQueue = policy.usesStealingQueue();
    this.core = core;
    this.host = scheduler.host;
    this.batch = core.batch;
    this.counters = core.counters;
    this.overload = scheduler.overload;
    this.pauses = scheduler.pauses;
    this.timers = timers;
    this.idler = new Idler(scheduler, timers, core);
    this.runner = new EventRunner(scheduler, timers, core);
  }

  @Override
  public void run() {
    core.queue.begin();
    while (state != WorkerState.EXIT) {
      turn();
    }
    core.closePoller();
  }

  /**
   * Runs colors until there are none, then idles until there are. A method of its own, since the
   * loop in {@link #run} never returns: when HotSpot makes this code not entrant, the old frame
   * ends with the turn, and the next turn enters the code that was compiled since.
   */
  @OwnCompilation
  private void turn() {
    try {
      runColors();
      idle();
    } catch (Throwable t) {
      recover(t);
    }
  }

  /**
   * Goes on after an {@code OutOfMemoryError} in the middle of a step: releases the color that the
   * worker holds, and retracts its parked flag. (What handlers and pollers throw is caught where
   * they are called.) No step allocates between taking an event and running it, nor between two
   * changes that belong together, unless the failure is caught there.
   */
  void recover(Throwable fault) {
    scheduler.settings.errors.report(null, this, fault);
    idler.recover();
    state = batch.color() != null ? WorkerState.FINISH : WorkerState.PICK;
  }

  /**
   * The states of a busy worker, compiled apart from those of {@link #idle}: when an idle worker
   * takes a branch for the first time, HotSpot deoptimizes the code of the idle states, and not
   * this loop, which other workers are running.
   */
  @OwnCompilation
  private void runColors() {
    int next = state;
    while (next <= WorkerState.FINISH) {
      if (next == WorkerState.PICK) {
        next = pick();
      }
      if (next == WorkerState.RUN) {
        next = runEvents();
      }
      if (next == WorkerState.FINISH) {
        next = finish();
      }
    }
    state = next;
  }

  private int runEvents() {
    Color running = batch.running();
    int next;
    do {
      next = runOne(running);
    } while (next == WorkerState.RUN && running.hasPending());
    return next == WorkerState.RUN ? WorkerState.FINISH : next;
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
          case WorkerState.RUN -> runOne(batch.running());
          case WorkerState.FINISH -> finish();
          default -> idleStep();
        };
    return state;
  }

  /** Without the busy states, whose code would be inlined here once more. */
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
    Color next = core.queue.take();
    if (next == null) {
      return core.queue.isEmpty() ? idler.beginSearch() : awaitOther();
    }
    if (!next.claim(core.index, core.index)) {
      batch.letGo();
      return WorkerState.PICK; // stale: the color was stolen
    }
    if (usesStealingQueue && core.stealing.isInUse()) {
      long timeLeft = next.weight();
      if (scheduler.price.isWorthy(timeLeft)) {
        discard(next, timeLeft);
      }
    }
    return begin(next);
  }

  /**
   * Spins until a producer has written an entry or an event that it has announced, or a thief has
   * released the queue. That thread may have been preempted by this worker, which therefore yields
   * now and then.
   */
  private int awaitOther() {
    if ((++waits & (GIVE_WAY_WAITS - 1)) == 0) {
      host.giveWay();
    } else {
      Thread.onSpinWait();
    }
    return WorkerState.PICK;
  }

  @OwnCompilation
  private void discard(Color claimed, long timeLeft) {
    core.stealing.discard(claimed, scheduler.price.interval(timeLeft));
  }

  private int search() {
    int after = idler.search();
    return after == WorkerState.RUN ? began() : after;
  }

  private int begin(Color next) {
    batch.beginBatch(next);
    return began();
  }

  private int began() {
    idler.endIdling();
    core.epoch.setOpaque(core.epoch.getPlain() + 1);
    return WorkerState.RUN;
  }

  private int runOne(Color running) {
    if (core.queue.mustWait(running) || pauses.isPaused(running)) {
      return WorkerState.FINISH;
    }
    Event event = running.take();
    if (event == null) {
      return WorkerState.FINISH;
    }
    Handler<Object> toRun = event.detach();
    batch.take(running, toRun);
    if (overload != null && overload.taken(running, event, toRun)) {
      // Dropped: the color is over its bound. The handler that was told may have forked.
      return batch.after() == null ? WorkerState.RUN : WorkerState.FINISH;
    }
    runner.run(toRun, event);
    return batch.mayGoOn(toRun) && scheduler.phase() != Scheduler.CLOSED
        ? WorkerState.RUN
        : WorkerState.FINISH;
  }

  private int finish() {
    Color done = batch.running();
    return batch.isLone() && !done.hasPending() ? finishLone(done) : finishBatch(done);
  }

  /** The common case: a batch of one event, with none behind it. */
  private int finishLone(Color done) {
    counters.batches++;
    forgetInterrupt();
    if (scheduler.phase() == Scheduler.CLOSED) {
      return leave(done);
    }
    int next = batch.tookLongAlone() ? WorkerState.POLL : afterBatch(false);
    if (!settle(done)) {
      return goOn(done, next);
    }
    batch.letGo();
    return next;
  }

  @OwnCompilation
  private int finishBatch(Color done) {
    batch.endBatch();
    boolean stolen = batch.takeStolen();
    if (stolen) {
      idler.settleSteal();
    }
    counters.batches++;
    if (stealing) {
      weigh(done);
    }
    forgetInterrupt();
    PermissionEvent after = batch.takeAfter();
    if (after != null) {
      if (after.keepsColor()) {
        batch.letGo();
        after.after(done);
        return afterBatch(stolen);
      }
      after.after(done);
    }
    if (scheduler.phase() == Scheduler.CLOSED) {
      return leave(done);
    }
    int next = afterBatch(stolen);
    if (done.hasPending() || !settle(done)) {
      return goOn(done, next);
    }
    batch.letGo();
    return next;
  }

  private static void forgetInterrupt() {
    if (Thread.interrupted()) {
      // Meant for a handler that has returned: it must not interrupt the next one.
    }
  }

  /** Events are left in the color. */
  @OwnCompilation
  private int goOn(Color done, int next) {
    if (pauses.isPaused(done)) {
      batch.letGo();
      pauses.park(done);
      return next;
    }
    if (core.queue.mustWait(done)) {
      batch.letGo();
      scheduler.passOver(done, core);
      return next;
    }
    if (batch.isEmpty()) {
      awaitOther(); // its event is not linked yet
    }
    boolean alone = isAlone();
    if (alone && next == WorkerState.PICK) {
      return begin(done);
    }
    Core home = scheduler.placement(done);
    batch.letGo(); // from the next line on another thread may claim it
    if (alone) {
      quiet = scheduler.enqueueQuietly(done, core);
    } else {
      scheduler.enqueue(done, home);
    }
    return next;
  }

  /**
   * Whether nothing else waits here. Then the color begins its next batch at once, and stays out of
   * the queue: a thief would take it from a core that has nothing else. If a poll is due first it
   * is queued, but a thief is woken only if something else waits after the poll, or a core is
   * stuck.
   */
  private boolean isAlone() {
    return core.queue.isEmpty() && !scheduler.migrates() && !core.queue.hasLine();
  }

  private int afterBatch(boolean stolen) {
    boolean rescue = idler.seesStuck() && !stolen; // in turn: one of our colors, one of theirs
    return --pollIn <= 0 || batch.tookLong() || rescue ? WorkerState.POLL : WorkerState.PICK;
  }

  private void weigh(Color done) {
    batch.weigh(done);
    if (batch.isStream() && keepsWaiting()) {
      batch.weighStream(done);
    }
    batch.settle(done);
  }

  /** The runtime is closed, and the worker holds a color. */
  private int leave(Color held) {
    batch.letGo();
    scheduler.rejectAll(held);
    return exit();
  }

  /** Whether other colors wait here while a core has nothing to do. */
  private boolean keepsWaiting() {
    IdleCores others = scheduler.idle;
    return policy.isOn(StealPolicy.Heuristic.TIME_LEFT)
        && (others.idle() != 0 || others.searching() != 0)
        && !core.queue.isEmpty();
  }

  private boolean settle(Color done) {
    if (stealing) {
      done.settleWeight();
    }
    return done.release(core.index);
  }

  /** Polls for external events, fires due timers and looks for stuck cores, while colors wait. */
  @OwnCompilation
  private int poll() {
    pollIn = POLL_COLORS;
    runner.watch();
    long now = host.nanos();
    if (now - lastPoll >= scheduler.settings.pollNanos) {
      lastPoll = now;
      core.poll(0, counters);
      timers.fire(core, now, core);
      idler.look(now);
      idler.age(now);
      scheduler.calls.waiting(core);
    }
    if (quiet) {
      quiet = false;
      if (idler.seesStuck() || core.queue.size() > 1) {
        scheduler.calls.another(core);
      }
    }
    if (idler.seesStuck()) {
      return idler.rescue();
    }
    return usesStealingQueue ? idler.relieve(now) : WorkerState.PICK;
  }

  private int wake() {
    runner.watch();
    return idler.wake();
  }

  private int exit() {
    idler.endIdling();
    core.queue.leave(scheduler.rejection::reject);
    scheduler.sweep();
    return WorkerState.EXIT;
  }
}
