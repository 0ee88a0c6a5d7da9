package dev.mely.bench.sim;

import java.util.Arrays;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A runtime and a program under one clock. The core with the earliest time makes the next step: one
 * action of the runtime on shared memory, or an action of its handler after its work.
 *
 * <p>A step takes effect at its start, and then takes its time. So other cores see it too early, by
 * the duration of the step: tens of nanoseconds. This does not hold for a handler's work, which may
 * be long: see {@link Task}.
 */
final class Simulation {
  private final Machine machine;
  private final Clock clock;
  private final SimRuntime runtime;
  private final Source source;

  /** By core: the running event. */
  private final @Nullable Task[] running;

  /** By core: whether it waits for a wake-up or its alarm. */
  private final boolean[] waiting;

  private final long[] busyPicos;
  private long events;

  /** A source of arrivals from outside. */
  interface Source {
    /** Time of the next arrival, in picoseconds; {@link Clock#NEVER}: none. */
    long next();

    /** Handles an arrival. */
    void arrive();
  }

  /** No arrivals. */
  static final Source NONE =
      new Source() {
        @Override
        public long next() {
          return Clock.NEVER;
        }

        @Override
        public void arrive() {
          throw new AssertionError("nothing arrives");
        }
      };

  /**
   * Starts a simulation: all cores are about to make their first step.
   *
   * @param maker makes the runtime on this simulation's machine
   * @param source makes the source of arrivals
   */
  Simulation(
      Machine machine,
      Function<Simulation, SimRuntime> maker,
      Function<Simulation, Source> source) {
    this.machine = machine;
    this.clock = machine.clock();
    int cores = machine.cores();
    running = new Task[cores];
    waiting = new boolean[cores];
    busyPicos = new long[cores];
    this.runtime = maker.apply(this);
    this.source = source.apply(this);
    for (int i = 0; i < cores; i++) {
      clock.set(i, 0);
    }
    clock.set(cores, this.source.next());
  }

  Machine machine() {
    return machine;
  }

  SimRuntime runtime() {
    return runtime;
  }

  // ---- For programs and runtimes

  /** Registers an event; called within {@link Task#goOn}, or on arrival from outside. */
  void register(Object color, Task task) {
    task.madeBy(machine.current());
    runtime.register(color, task);
  }

  /** The runtime runs an event on the current core. */
  void begin(Task task) {
    int core = machine.current();
    if (running[core] != null) {
      throw new AssertionError("core " + core + " runs two events");
    }
    running[core] = task;
    events++;
    int from = task.madeBy();
    if (from != Machine.OUTSIDE && from != core) {
      machine.transfer(from, core, machine.costs.eventLines());
    }
    machine.beginWork();
    long start = clock.now();
    task.work(machine);
    busyPicos[core] += clock.now() - start;
    machine.endWork();
  }

  /** The current core wakes another one, which continues after the delay, if it waits. */
  void wake(int core, long delayPicos) {
    if (waiting[core]) {
      long then = clock.now() + delayPicos;
      if (then < clock.timeOf(core)) {
        clock.set(core, then);
      }
    }
  }

  /** The source has changed: {@link Source#next} may be earlier. */
  void sourceChanged() {
    long next = source.next();
    if (next < clock.timeOf(running.length)) {
      clock.set(running.length, next);
    }
  }

  // ---- The loop

  /**
   * Continues until this number of events has run.
   *
   * @throws IllegalStateException on a deadlock before that
   */
  void runUntil(long howMany) {
    while (events < howMany) {
      int actor = clock.next();
      if (actor < 0) {
        throw new IllegalStateException(
            "all cores wait after " + events + " of " + howMany + " events");
      }
      if (actor == running.length) {
        machine.enter(Machine.OUTSIDE);
        source.arrive();
        clock.set(actor, source.next());
      } else {
        act(actor);
      }
    }
  }

  private void act(int core) {
    machine.enter(core);
    waiting[core] = false;
    Task task = running[core];
    if (task != null) {
      if (!task.goOn()) {
        running[core] = null;
      }
      clock.set(core, clock.now());
      return;
    }
    long then = runtime.step(core);
    if (running[core] != null) {
      clock.set(core, clock.now());
    } else {
      waiting[core] = then > clock.now();
      clock.set(core, then);
    }
  }

  // ---- Counters

  /** Number of started events. */
  long events() {
    return events;
  }

  /** Total time in handlers. */
  long busyPicos() {
    return Arrays.stream(busyPicos).sum();
  }
}
