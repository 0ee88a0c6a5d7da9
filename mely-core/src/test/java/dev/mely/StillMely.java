package dev.mely;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A runtime over a {@link FakeHost}: its workers make a step when the test says so. */
final class StillMely {
  static final long BATCH_NANOS = 50_000;
  static final long STUCK_NANOS = 5_000_000;
  static final int STEALING_CAPACITY = 8;

  /** More than any worker needs to come to rest in these tests. */
  private static final int MANY = 10_000;

  final FakeHost host = new FakeHost();
  final List<String> errors = new ArrayList<>();
  final Mely mely;
  final Scheduler scheduler;
  final Timers timers;

  StillMely(int cores, StealPolicy policy) {
    this(cores, policy, 10);
  }

  StillMely(int cores, StealPolicy policy, int batch) {
    this(settings(cores, policy, batch));
  }

  private static SettingsBuilder settings(int cores, StealPolicy policy, int batch) {
    SettingsBuilder settings = new SettingsBuilder();
    settings.cores = cores;
    settings.policy = policy;
    settings.batch = batch;
    return settings;
  }

  StillMely(SettingsBuilder settings) {
    settings.batchNanos = BATCH_NANOS;
    settings.stuckAfterNanos = STUCK_NANOS;
    settings.stealingCapacity = STEALING_CAPACITY;
    settings.errors = new Notes(settings.errors);
    mely = new Mely(host, settings.build(), host::newPoller, new int[settings.cores]);
    scheduler = mely.scheduler();
    timers = mely.timers();
  }

  /** Two cores; idle ones look around before they sleep. */
  static StillMely searching(StealPolicy policy) {
    SettingsBuilder settings = new SettingsBuilder();
    settings.cores = 2;
    settings.policy = policy;
    settings.spins = 2;
    return new StillMely(settings);
  }

  /** Registers events of a new color, at core 0. */
  Color register(Handler<Object> handler, int events) {
    Color color = mely.newColor(0);
    for (int i = 0; i < events; i++) {
      mely.register(color, handler, i);
    }
    return color;
  }

  Core core(int core) {
    return scheduler.core(core);
  }

  Worker worker(int core) {
    return host.worker(core);
  }

  /** Makes one step of a worker, as {@link Worker#run} does; returns the state that follows. */
  int step(int core) {
    Worker worker = worker(core);
    host.as(core, worker::step);
    return worker.state();
  }

  /** Makes a step that ends before it has done anything: memory has run out. */
  void fail(int core) {
    host.as(core, () -> worker(core).recover(new OutOfMemoryError("as planned")));
  }

  /** Steps a worker until it is about to enter a state. */
  void stepTo(int core, int state) {
    for (int i = 0; i < MANY; i++) {
      if (step(core) == state) {
        return;
      }
    }
    throw new AssertionError("core " + core + " never comes to state " + state);
  }

  /** Lets core 1 search until it has a color or wants to sleep. */
  @Nullable Color search() {
    Worker worker = worker(1);
    while (worker.state() == WorkerState.RUN || worker.state() == WorkerState.FINISH) {
      step(1); // what it has from before
    }
    for (int i = 0; i < 1_000; i++) {
      int state = step(1);
      if (state == WorkerState.RUN) {
        return core(1).batch.color();
      }
      if (state == WorkerState.PARK) {
        return null;
      }
    }
    throw new AssertionError("the search does not end");
  }

  /** Core 0 runs the color, and nobody will find it in its queue. */
  void assertRuns(Color color) {
    host.as(0, () -> assertTrue(color.isCurrent()));
    assertFalse(color.isQueuedAt(0));
  }

  /** Runs what a core has, until it is about to sleep; wakes it up first if it sleeps. */
  void run(int core) {
    stepTo(core, WorkerState.PARK);
  }

  /** Runs what all cores have, until all are about to sleep. */
  void runAll() {
    for (int i = 0; i < mely.inspect().cores(); i++) {
      run(i);
    }
  }

  /** Lets time pass, and all cores, which must be asleep, look at the clock. */
  void pass(long nanos) {
    host.advance(nanos);
    runAll();
  }

  /** Keeps what handlers throw; reports of blocked handlers go to whom the settings name. */
  private final class Notes implements ErrorHandler {
    private final ErrorHandler blocked;

    Notes(ErrorHandler blocked) {
      this.blocked = blocked;
    }

    @Override
    public void onError(Color color, Object event, Throwable error) {
      errors.add(event + ": " + error);
    }

    @Override
    public void onBlocked(
        int core, Color color, Handler<?> handler, Duration time, StackTraceElement[] stack) {
      blocked.onBlocked(core, color, handler, time, stack);
    }
  }
}
