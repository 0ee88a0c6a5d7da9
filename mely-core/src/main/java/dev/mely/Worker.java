package dev.mely;

import org.jspecify.annotations.Nullable;

/**
 * One core's thread: runs the colors of its core-queue in batches, steals when it has none, waits
 * when there is nothing to steal.
 *
 * <pre>
 *            +--------------------------------------------------+
 *            v                                                  |
 *   +----> PICK --color--> RUN --batch over--> FINISH --------> | --every so often--> POLL --+
 *   |        |              ^ |                                                              |
 *   |      empty            | +--event--+                                                    |
 *   |        v              |           |                                                    |
 *   |      SEARCH --stolen--+-----------+                                                    |
 *   |        |                                                                               |
 *   |     nothing                                                                            |
 *   |        v                                                                               |
 *   |     PUBLISH ---> RECHECK --nothing--> PARK --> WAKE                                    |
 *   |                     |                            |                                     |
 *   +---------------------+--work----------------------+-------------------------------------+
 *
 *   PICK, closed ---> EXIT
 * </pre>
 *
 * <p>{@link #step} performs one action on shared memory, so that a driver can interleave workers
 * and producers at every point where it matters. Production calls it in a loop.
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

  private final Scheduler scheduler;
  private final StealPolicy policy;
  private final Core core;
  private final Host host;
  private final int batch;
  private final long batchNanos;
  private final Watch watch;
  private final Thief thief;
  final Counters counters = new Counters();

  private int state = PICK;

  // The batch that is running.
  private @Nullable Color color;
  private int ran;
  private long elapsed;
  private int gainedEvents;
  private long gainedWeight;
  private long weighed;
  private long expected;
  private boolean measured;
  private boolean stolen;
  private long stealNanos;
  private long stolenAt;

  private int sampleIn = SAMPLE_EVENTS;
  private int pollIn = POLL_COLORS;
  private long lastPoll;

  // Being idle.
  private boolean searching;
  private boolean watching;
  private int spins;
  private int rounds;

  Worker(Scheduler scheduler, Core core) {
    this.scheduler = scheduler;
    this.policy = scheduler.policy;
    this.core = core;
    this.host = scheduler.host;
    this.batch = scheduler.settings.batch();
    this.batchNanos = scheduler.settings.batchNanos();
    this.watch = new Watch(scheduler, core);
    this.thief = new Thief(scheduler, core, counters, watch);
  }

  @Override
  public void run() {
    while (state != EXIT) {
      try {
        while (step() != EXIT) {
          // Everything happens in step.
        }
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

  /** Performs one action and returns the state that follows. */
  int step() {
    state =
        switch (state) {
          case PICK -> pick();
          case RUN -> runOne();
          case FINISH -> finish();
          case POLL -> poll();
          case SEARCH -> search();
          case PUBLISH -> publish();
          case RECHECK -> recheck();
          case PARK -> park();
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
      return core.queue.isEmpty() ? idle() : PICK; // else: a thief or a producer is at it
    }
    if (!next.claim(core.index, core.index)) {
      return PICK; // stale: the color was stolen
    }
    if (policy.usesStealingQueue()) {
      long timeLeft = next.weight();
      if (scheduler.worthiness.isWorthy(timeLeft)) {
        core.stealing.discard(next, scheduler.worthiness.interval(timeLeft));
      }
    }
    return begin(next);
  }

  private int begin(Color next) {
    color = next;
    ran = 0;
    elapsed = 0;
    gainedEvents = 0;
    gainedWeight = 0;
    weighed = 0;
    expected = 0;
    measured = false;
    if (searching) {
      endSearch(); // a called thief that found work of its own
    }
    if (watching) {
      handWatchOver();
    }
    core.epoch.setOpaque(core.epoch.getPlain() + 1);
    return RUN;
  }

  @SuppressWarnings("unchecked")
  private int runOne() {
    Color running = running();
    Event event = running.take();
    if (event == null) {
      return FINISH;
    }
    Handler<Object> handler = (Handler<Object>) event.handler;
    event.handler = null;
    if (handler == null) {
      throw new AssertionError("a pending event has no handler");
    }
    if (policy.stealing()) {
      weighOut(running, handler);
    }
    boolean timed = --sampleIn == 0 || handler.wantsTiming();
    if (timed) {
      runTimed(handler, event);
    } else {
      elapsed += handler.costNanos();
      runQuick(handler, event);
    }
    return ++ran < batch && elapsed < batchNanos && scheduler.phase() != Scheduler.CLOSED
        ? RUN
        : FINISH;
  }

  private void weighOut(Color running, Handler<Object> handler) {
    long weight = policy.weigh(handler);
    weighed += weight;
    expected += handler.costNanos();
    measured |= handler.isMeasured();
    if (!running.clearFirst()) {
      gainedEvents--;
      gainedWeight -= weight;
    }
  }

  private void runQuick(Handler<Object> handler, Event event) {
    Object payload = event.payload();
    if (payload == null) {
      return; // cancelled while it waited
    }
    counters.events++;
    try {
      handler.handle(payload);
    } catch (Throwable t) {
      failed(payload, t);
    }
    if (event instanceof TimerEvent timer && timer.rearm(host.nanos())) {
      scheduler.schedule(timer);
    }
  }

  private void runTimed(Handler<Object> handler, Event event) {
    if (sampleIn <= 0) {
      // A varying distance, so that a periodic mix of handlers cannot hide from the samples.
      sampleIn = SAMPLE_EVENTS / 2 + host.random(SAMPLE_EVENTS);
    }
    long start = host.nanos();
    runQuick(handler, event);
    long nanos = host.nanos() - start;
    elapsed += nanos;
    handler.observe(nanos);
  }

  private void failed(Object event, Throwable t) {
    counters.errors++;
    scheduler.settings.errors().report(running(), event, t);
  }

  private int finish() {
    Color done = running();
    counters.batches++;
    if (policy.stealing()) {
      settleBatch(done);
    }
    if (Thread.interrupted()) {
      // A handler's own business, and over: it must not reach the next color's handler.
    }
    if (stolen) {
      stolen = false;
      thief.account(stealNanos, host.nanos() - stolenAt, expected);
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
    return --pollIn <= 0 || elapsed >= batchNanos ? POLL : PICK;
  }

  /** Brings the color's number and weight of pending events up to date, with one atomic add. */
  private void settleBatch(Color done) {
    if (measured && ran > 0) {
      // What a measured handler costs may have changed between an event's registration and now.
      // The number of events is exact; let the weight follow what such events weigh today.
      long mean = weighed / ran;
      long left = (long) done.pendingCount() + gainedEvents;
      gainedWeight += (left * mean - (done.weight() + gainedWeight)) / 4;
    }
    if (gainedEvents != 0 || gainedWeight != 0) {
      done.addPending(gainedEvents, gainedWeight);
    }
  }

  private boolean settle(Color done) {
    if (policy.stealing()) {
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

  /** Looks for external events and due timers while colors wait. */
  private int poll() {
    pollIn = POLL_COLORS;
    long now = host.nanos();
    if (now - lastPoll >= scheduler.settings.pollNanos()) {
      lastPoll = now;
      waitForEvents(0);
      scheduler.fireTimers(core, now);
      thief.allowPoll();
    }
    return PICK;
  }

  private void waitForEvents(long nanos) {
    if (!core.tryLockPoller()) {
      return; // another worker has taken over, and will be gone soon
    }
    counters.polls++;
    try {
      core.poller.poll(nanos);
    } catch (Throwable t) {
      scheduler.settings.errors().report(null, core.poller, t);
    } finally {
      core.unlockPoller();
    }
  }

  // ---- Being idle

  private int idle() {
    if (!policy.stealing()) {
      return PUBLISH;
    }
    if (!searching) {
      if (spins == 0 && scheduler.settings.spins() == 0 && !thief.seesPrey()) {
        return PUBLISH;
      }
      searching = true;
      scheduler.idle.startSearching();
    }
    thief.start();
    stealNanos = host.nanos();
    return SEARCH;
  }

  private int search() {
    if (thief.hasNext()) {
      Color next = thief.visit();
      if (next == null) {
        return SEARCH;
      }
      stolenAt = host.nanos();
      stealNanos = stolenAt - stealNanos;
      stolen = true;
      endSearch();
      if (thief.seesPrey() && scheduler.idle.mayCallThief()) {
        scheduler.idle.callThief(scheduler.neighbors(core)); // there is more: send for the next
      }
      return begin(next);
    }
    if (!core.queue.isEmpty()) {
      endSearch();
      return PICK;
    }
    if (spins++ < scheduler.settings.spins()) {
      Thread.onSpinWait();
      thief.again();
      stealNanos = host.nanos();
      return SEARCH;
    }
    return PUBLISH;
  }

  private void endSearch() {
    spins = 0;
    rounds = 0;
    if (searching) {
      searching = false;
      scheduler.idle.stopSearching();
    }
  }

  private int publish() {
    scheduler.idle.publishParked(core);
    if (searching) {
      searching = false;
      scheduler.idle.stopSearching();
    }
    return RECHECK;
  }

  /** Looks again after having published: see {@link IdleCores}. */
  private int recheck() {
    boolean work = !core.queue.isEmpty() || scheduler.phase() == Scheduler.CLOSED;
    // What a thief refused a moment ago is no reason to search for ever.
    boolean prey = policy.stealing() && rounds++ < 2 && thief.seesPrey();
    if (!work && !prey) {
      return PARK;
    }
    unpark();
    return PICK;
  }

  private int park() {
    long wait = Long.MAX_VALUE;
    long deadline = core.timers.nextDeadline();
    if (deadline != TimerQueue.NONE) {
      wait = Math.max(0, deadline - host.nanos());
    }
    if (policy.stealing() && scheduler.cores() > 1) {
      wait = Math.min(wait, watchTime());
    }
    counters.parks++;
    waitForEvents(wait);
    return WAKE;
  }

  /** How long this worker may sleep: not for good if it is the watcher, or becomes it. */
  private long watchTime() {
    long patience = watch.patience();
    if (watching && patience == Long.MAX_VALUE) {
      // Lay the watch down, then look again: a core that wakes up now either is seen here, or
      // sees that nobody watches and calls somebody.
      watching = false;
      scheduler.idle.stopWatching();
      patience = watch.patience();
    }
    if (!watching && patience != Long.MAX_VALUE) {
      watching = scheduler.idle.startWatching();
    }
    return watching ? patience : Long.MAX_VALUE;
  }

  /** The watcher has found work: somebody else must watch. */
  private void handWatchOver() {
    watching = false;
    scheduler.idle.stopWatching();
    callWatcher();
  }

  private void callWatcher() {
    if (scheduler.idle.idle() > 0 && !scheduler.idle.isWatched()) {
      scheduler.idle.callThief(scheduler.neighbors(core));
    }
  }

  private int wake() {
    unpark();
    rounds = 0;
    long now = host.nanos();
    lastPoll = now;
    if (policy.stealing()) {
      watch.look(now);
      thief.allowPoll();
    }
    scheduler.fireTimers(core, now);
    return PICK;
  }

  private void unpark() {
    spins = 0;
    if (scheduler.idle.retractParked(core)) {
      counters.wakeups++;
      searching = true;
    }
    if (policy.stealing()) {
      callWatcher(); // else nobody would notice if this core got stuck now
    }
  }

  private int exit() {
    endSearch();
    if (watching) {
      handWatchOver();
    }
    scheduler.sweep();
    return EXIT;
  }
}
