package dev.mely;

import dev.mely.flight.Flight;
import dev.mely.jit.OwnCompilation;
import dev.mely.stage.recorder.StageRecorder;
import org.jspecify.annotations.Nullable;

/**
 * Runs the events that a worker has taken, one by one: a plain event, a timer, or one that holds
 * permissions. What a handler throws is caught here. Some events are timed: one in a few hundred,
 * those of handlers that are new or slow, and all during a recording.
 *
 * <p>Owned by one worker.
 *
 * <p>Source: Mely, section VII (costs found at run time).
 */
final class EventRunner extends PadBefore {
  /** One event in about this many is timed. */
  private static final int SAMPLE_EVENTS = 256;

  private final Core core;
  private final Batch batch;
  private final Counters counters;
  private final Host host;
  private final Timers timers;
  private final Errors errors;
  private final Rejection rejection;
  private final @Nullable StageRecorder stages;

  /**
   * Whether the flight recorder wants every handler timed: asked now and then, not for each event;
   * or the recorder of stages does.
   */
  private boolean watched;

  /** Number of events after which the next one is timed. */
  private long sampleAt = SAMPLE_EVENTS;

  EventRunner(Scheduler scheduler, Timers timers, Core core) {
    this.core = core;
    this.batch = core.batch;
    this.counters = core.counters;
    this.host = scheduler.host;
    this.timers = timers;
    this.errors = scheduler.settings.errors;
    this.rejection = scheduler.rejection;
    this.stages = scheduler.stages;
    watch();
  }

  /** Asks whether there is a recording. */
  void watch() {
    watched = Flight.watchesHandlers() || stages != null;
  }

  /** Runs an event that was taken from the color that runs. Throws nothing. */
  void run(Handler<Object> toRun, Event event) {
    if (counters.events >= sampleAt || toRun.wantsTiming() || watched) {
      runTimed(toRun, event);
    } else {
      runQuick(toRun, event);
    }
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
    } else if (event instanceof Reply reply) {
      runReply(toRun, reply);
    } else if (event instanceof PermissionEvent special) {
      runPermissionEvent(toRun, special);
    }
  }

  private void runPermissionEvent(Handler<Object> toRun, PermissionEvent special) {
    batch.endWith(special);
    Object payload = special.payload();
    if (payload == null) {
      return; // a ticket that only holds a place in the color-queue
    }
    Object[] held = special.holds();
    try {
      HeldColors.begin(held);
    } catch (Throwable noMemory) {
      special.failed(noMemory);
      errors.report(batch.running(), payload, noMemory);
      rejection.rejectTaken(toRun, payload);
      return;
    }
    counters.events++;
    try {
      call(toRun, payload);
    } catch (Throwable t) {
      special.failed(t);
      failed(payload, t);
    } finally {
      HeldColors.end(held);
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

  @OwnCompilation
  private static void call(Handler<Object> toRun, Object payload) throws Exception {
    toRun.handle(payload);
  }

  private void runReply(Handler<Object> toRun, Reply reply) {
    Object payload = reply.payload();
    if (payload == null) {
      return; // cancelled before its turn
    }
    counters.events++;
    try {
      try {
        call(toRun, payload);
      } catch (Throwable t) {
        reply.fail(t);
        return;
      }
      reply.handled();
    } catch (Throwable t) {
      failed(payload, t); // to complete a future takes memory
    }
  }

  private void runTimer(Handler<Object> toRun, TimerEvent timer) {
    Object payload = timer.payload();
    if (payload != null) { // else: cancelled while it waited
      handle(toRun, payload);
      if (timer.rearm(host.nanos())) {
        timers.scheduleAgain(timer);
      }
    }
  }

  private void runTimed(Handler<Object> toRun, Event event) {
    if (counters.events >= sampleAt) {
      // A random distance, so that samples do not keep step with a periodic mix of handlers.
      sampleAt = counters.events + SAMPLE_EVENTS / 2 + host.random(SAMPLE_EVENTS);
    }
    Object flight;
    try {
      flight = watched ? Flight.beginHandler() : null;
      if (stages != null) {
        Handler<?> shown = toRun.recordedAs();
        stages.begin(core.index, shown.stage(), shown::parts);
      }
    } catch (Throwable t) {
      errors.report(null, this, t);
      runQuick(toRun, event); // it has been taken: no other thread would run it
      return;
    }
    long before = counters.events;
    long start = host.nanos();
    runQuick(toRun, event);
    long nanos = host.nanos() - start;
    if (stages != null) {
      stages.end(core.index, counters.events != before, nanos, toRun.penalty());
    }
    batch.timed(nanos);
    toRun.observe(nanos);
    if (flight != null && counters.events != before) { // else no handler ran
      Flight.endHandler(flight, core.index, () -> Errors.describe(toRun), batch.running());
    }
  }

  private void failed(Object event, Throwable t) {
    counters.errors++;
    errors.report(batch.running(), event, t);
  }
}
