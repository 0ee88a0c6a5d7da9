package dev.mely.bench.sim;

import java.util.Arrays;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A runtime and a program under one clock. The core whose time is least makes the next step: one
 * action of the runtime on shared memory, or what its handler does after its work.
 *
 * <p>A step acts at once, and then takes its time. What a core does within one step is therefore
 * seen by others a little early, by the length of that step: tens of nanoseconds. A handler's work,
 * which may be long, is not: see {@link Task}.
 */
final class Simulation {
  private final Machine machine;
  private final Clock clock;
  private final SimRuntime runtime;
  private final Source source;

  /** By core: the event that it runs. */
  private final @Nullable Task[] running;

  /** By core: whether it waits to be called, or for its alarm. */
  private final boolean[] waiting;

  private final long[] busyPicos;
  private long events;

  /** What arrives from outside. */
  interface Source {
    /** When the next comes, in picoseconds; {@link Clock#NEVER}: none does. */
    long next();

    /** It has come. */
    void arrive();
  }

  /** Nothing. */
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
   * Begins: all cores are about to make their first step.
   *
   * @param maker makes the runtime on this simulation's machine
   * @param source makes what arrives
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

  // ---- What programs and runtimes call

  /** Registers an event; from within {@link Task#goOn}, or as it arrives from outside. */
  void register(Object color, Task task) {
    task.madeBy(machine.current());
    runtime.register(color, task);
  }

  /** The runtime runs an event on the core that acts. */
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

  /** The core that acts wakes up another one, which goes on after a while, if it waits. */
  void wake(int core, long delayPicos) {
    if (waiting[core]) {
      long then = clock.now() + delayPicos;
      if (then < clock.timeOf(core)) {
        clock.set(core, then);
      }
    }
  }

  /** Something new is on its way here from outside: {@link Source#next} may be earlier. */
  void sourceChanged() {
    long next = source.next();
    if (next < clock.timeOf(running.length)) {
      clock.set(running.length, next);
    }
  }

  // ---- The loop

  /**
   * Goes on until so many events have been run.
   *
   * @throws IllegalStateException if all wait for each other before that
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

  // ---- What was counted

  /** Events that have begun. */
  long events() {
    return events;
  }

  /** Time that cores have spent in handlers. */
  long busyPicos() {
    return Arrays.stream(busyPicos).sum();
  }
}
