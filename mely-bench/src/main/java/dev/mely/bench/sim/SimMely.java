package dev.mely.bench.sim;

import dev.mely.Color;
import dev.mely.Handler;
import dev.mely.StealPolicy;
import dev.mely.StealPolicy.Heuristic;
import dev.mely.VirtualRuntime;
import dev.mely.bench.baseline.Figures;
import dev.mely.bench.baseline.Job;
import dev.mely.topology.Topology;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Mely itself: the runtime's own classes, step by step. The cost of a step is that of its
 * instructions and of the cache lines it fetches. Each core's queue has one line written by
 * producers and one written by consumers; its stealing-queue and its sleep state have one line
 * each, and so have the number of sleepers and, per cache, of searchers.
 */
final class SimMely implements SimRuntime {
  private final Simulation simulation;
  private final Machine machine;
  private final Clock clock;
  private final Costs costs;
  private final VirtualRuntime runtime;
  private final StealPolicy policy;
  private final boolean declared;

  /** Whether thieves look into stealing-queues. */
  private final boolean usesWorthy;

  private final int cores;

  /** By thief and distance: victims at equal distance, whose loads it compares. */
  private final List<List<int[]>> compared;

  /** Number of searches by thief. */
  private final int[] searches;

  /** By thief: whether it has taken an entry since its last successful one. */
  private final boolean[] tookEntry;

  // By core.
  private final Line[] offered;
  private final Line[] taken;
  private final Line[] worthy;
  private final Line[] parked;

  private final Rests rests;
  private final Line sleepers;

  /** By cache. */
  private final Line[] searchers;

  /**
   * @param policy which heuristics are on
   * @param declared whether handlers declare their costs and penalties; if not, they are measured
   * @param seed of what is random in the runtime
   */
  SimMely(Simulation simulation, StealPolicy policy, boolean declared, long seed) {
    this.simulation = simulation;
    this.machine = simulation.machine();
    this.clock = machine.clock();
    this.costs = machine.costs;
    this.policy = policy;
    this.declared = declared;
    this.usesWorthy = policy.isOn(Heuristic.TIME_LEFT) || policy.isOn(Heuristic.PENALTY);
    this.cores = machine.cores();
    this.compared = IntStream.range(0, cores).mapToObj(this::compared).toList();
    this.searches = new int[cores];
    this.tookEntry = new boolean[cores];
    this.offered = lines(cores);
    this.taken = lines(cores);
    this.worthy = lines(cores);
    this.parked = lines(cores);
    this.sleepers = new Line(machine);
    this.searchers = lines(cores);
    VirtualRuntime.Plan plan =
        new VirtualRuntime.Plan(cores, policy, machine::distance, machine::cache, false, seed);
    this.runtime = new VirtualRuntime(plan, new Outside());
    this.rests = new Rests(simulation, runtime);
  }

  private Line[] lines(int count) {
    Line[] lines = new Line[count];
    Arrays.setAll(lines, i -> new Line(machine));
    return lines;
  }

  /** Virtual time, and wake-ups. */
  private final class Outside implements VirtualRuntime.World {
    @Override
    public long nanos() {
      return machine.nanos();
    }

    @Override
    public void pause(long nanos) {
      machine.spend((double) nanos);
    }

    @Override
    public void woken(int core) {
      parked[core].write();
      sleepers.write();
      long delay = machine.drawWakeDelay(core);
      if (machine.current() == Machine.OUTSIDE) {
        delay += Machine.picos(costs.wakeCall()); // costs time, but not on the machine
      } else {
        machine.spend(costs.wakeCall());
      }
      simulation.wake(core, delay);
    }
  }

  // ---- Events

  @Override
  public Color newColor(int core) {
    return runtime.newColor(core, false);
  }

  @Override
  public Color newPinnedColor(int core) {
    return runtime.newColor(core, true);
  }

  @Override
  public void moveTo(Object color, int core) {
    ((Color) color).moveTo(core);
  }

  @Override
  public Handler<Job> kind(Duration cost, int penalty) {
    return declared ? Handler.of(Job::run).cost(cost).penalty(penalty) : Handler.of(Job::run);
  }

  @Override
  public void register(Object registered, Job job) {
    Color color = (Color) registered;
    int core = machine.current();
    int home = color.core();
    int before = runtime.waiting(home);
    int worthyBefore = runtime.worthy(home);
    runtime.register(core, color, job.kind(), job);
    if (core != Machine.OUTSIDE) {
      charge(home, runtime.waiting(home) > before, runtime.worthy(home) != worthyBefore);
    }
    if (runtime.waiting(home) != before) {
      rests.filled(home);
    }
  }

  private void charge(int home, boolean waits, boolean isWorthy) {
    if (waits) {
      machine.spend(costs.register());
      offered[home].write();
      parked[home].read();
    } else {
      machine.spend(costs.append());
    }
    if (isWorthy) {
      worthy[home].write();
      sleepers.read();
    }
  }

  // ---- Steps

  @Override
  public long step(int core) {
    int before = runtime.state(core);
    if (before == VirtualRuntime.WAKE && runtime.isAsleep(core)) {
      return alarm(core); // too early: its first step, or a rounded time
    }
    return before == VirtualRuntime.SEARCH ? search(core) : move(core, before);
  }

  /**
   * A failed search takes hundreds of looks. All looks that find nothing and fetch no line are one
   * step; those at its own queue are a rest, see {@link Rests}.
   */
  private long search(int core) {
    rests.end(core);
    int victim = runtime.victim(core);
    if (costs.look() > 0 && runtime.goesRound(core)) {
      int looks = victim < 0 ? 0 : looksInVain(core);
      if (looks > 0) {
        clock.spend(looks * Machine.picos(costs.look()));
        rests.passed(core, looks);
        return clock.now();
      }
      long then = victim < 0 && runtime.waiting(core) == 0 ? rests.begin(core) : clock.now();
      if (then > clock.now()) {
        return then;
      }
    }
    if (victim >= 0) {
      visit(core, victim);
      return clock.now();
    }
    if (runtime.place(core) < runtime.victims(core).length) {
      machine.spend(costs.look()); // at its own queue
    }
    runtime.step(core);
    return clock.now();
  }

  /** How many of the next looks find nothing and fetch no line. */
  private int looksInVain(int core) {
    int[] victims = runtime.victims(core);
    int from = runtime.place(core);
    int at = from;
    while (at < victims.length && !hasPrey(victims[at]) && hasLines(core, victims[at])) {
      at++;
    }
    return at - from;
  }

  private boolean hasPrey(int victim) {
    return usesWorthy ? runtime.worthy(victim) != 0 : runtime.waiting(victim) > 1;
  }

  /** Whether a thief has all lines that it reads at a victim. */
  private boolean hasLines(int thief, int victim) {
    return usesWorthy
        ? worthy[victim].isAt(thief)
        : offered[victim].isAt(thief) && taken[victim].isAt(thief);
  }

  /** The current core looks at a victim, and waits for missing lines. */
  private void look(int victim) {
    machine.spend(costs.look());
    if (usesWorthy) {
      worthy[victim].read();
    } else {
      offered[victim].read();
      taken[victim].read();
    }
  }

  private void visit(int core, int victim) {
    look(victim);
    int theirs = entries(victim);
    // Thieves that use stealing-queues take nothing else, unless a core is stuck.
    boolean takesAny = usesWorthy && !runtime.goesRound(core);
    int waiting = takesAny ? runtime.waiting(victim) : theirs;
    runtime.step(core);
    if (runtime.state(core) == VirtualRuntime.RUN && !runtime.relieves(core)) {
      searchers[machine.cache(core)].write();
    }
    int left = entries(victim);
    boolean won = runtime.state(core) == VirtualRuntime.RUN;
    // Only a core itself removes entries of its own lane: a steal there does not change the count.
    if (left != theirs || (won && !tookEntry[core])) {
      machine.spend(costs.claim());
      (usesWorthy ? worthy : taken)[victim].write();
    }
    tookEntry[core] = !won && (left != theirs || tookEntry[core]);
    if ((takesAny ? runtime.waiting(victim) : left) != waiting) {
      rests.filled(victim);
    }
  }

  private long move(int core, int before) {
    int own = runtime.waiting(core);
    int ownWorthy = runtime.worthy(core);
    int home = before == VirtualRuntime.FINISH ? runtime.heldHome(core) : core;
    if (before == VirtualRuntime.RUN) {
      machine.spend(costs.run());
      if (policy.steals()) {
        machine.spend(costs.weighEvent());
      }
    }
    int looksBeside = runtime.looksBeside(core);
    runtime.step(core);
    int after = runtime.state(core);
    charge(core, before, own, ownWorthy);
    if (runtime.looksBeside(core) != looksBeside) {
      lookBeside(core, runtime.beside(core));
    }
    if (home >= 0 && home != core) {
      rests.filled(home);
    }
    if (after == VirtualRuntime.SEARCH && !runtime.relieves(core)) {
      beginSearch(core);
    }
    return after == VirtualRuntime.WAKE && runtime.isAsleep(core) ? alarm(core) : clock.now();
  }

  private int entries(int victim) {
    return usesWorthy ? runtime.worthy(victim) : runtime.waiting(victim);
  }

  private long alarm(int core) {
    long nanos = runtime.alarm(core);
    return nanos == Long.MAX_VALUE ? Clock.NEVER : Math.max(clock.now(), nanos * Machine.NANO);
  }

  private void charge(int core, int before, int own, int ownWorthy) {
    switch (before) {
      case VirtualRuntime.PICK -> {
        if (runtime.waiting(core) != own) {
          machine.spend(costs.pick());
          taken[core].write();
          if (runtime.worthy(core) != ownWorthy) {
            worthy[core].write();
          } else if (usesWorthy) {
            worthy[core].read();
          }
        } else {
          machine.spend(costs.look());
          offered[core].read();
        }
      }
      case VirtualRuntime.FINISH -> {
        machine.spend(costs.finish());
        if (policy.steals()) {
          machine.spend(costs.weighTurn());
        }
        if (runtime.waiting(core) > own) {
          offered[core].write();
        }
        if (runtime.worthy(core) != ownWorthy) {
          worthy[core].write();
          sleepers.read();
        }
      }
      case VirtualRuntime.POLL -> machine.spend(costs.poll());
      case VirtualRuntime.PUBLISH -> {
        machine.spend(costs.park());
        parked[core].write();
        sleepers.write();
        searchers[machine.cache(core)].write();
      }
      case VirtualRuntime.RECHECK -> {
        machine.spend(costs.park());
        offered[core].read();
        lookAround(core);
      }
      case VirtualRuntime.PARK -> machine.spend(costs.park());
      case VirtualRuntime.WAKE -> {
        machine.spend(costs.wake());
        parked[core].write();
        sleepers.write();
      }
      default -> {}
    }
  }

  /** Looks whether another core has far more work than the current one, which is not idle. */
  private void lookBeside(int core, int other) {
    machine.spend(costs.look());
    worthy[other].read();
    if (runtime.looksCloser(core, other)) {
      offered[other].read();
      taken[other].read();
    }
  }

  /** Orders the victims: by load among those at equal distance. */
  private void beginSearch(int core) {
    searchers[machine.cache(core)].write();
    int turn = searches[core]++ * VirtualRuntime.LOOKS;
    for (int[] group : compared.get(core)) {
      int looks = Math.min(group.length, VirtualRuntime.LOOKS);
      int from = looks < group.length ? Math.floorMod(turn, group.length) : 0;
      for (int i = 0; i < looks; i++) {
        look(group[(from + i) % group.length]);
      }
    }
  }

  private List<int[]> compared(int thief) {
    List<int[]> groups = new ArrayList<>();
    for (int d = 0; d <= Topology.OTHER_PACKAGE; d++) {
      int distance = d;
      int[] group =
          IntStream.range(0, cores)
              .filter(v -> v != thief && distanceOf(thief, v) == distance)
              .toArray();
      if (group.length > 1) {
        groups.add(group);
      }
    }
    return groups;
  }

  /** The distance for the policy. */
  private int distanceOf(int thief, int victim) {
    return policy.isOn(Heuristic.LOCALITY) ? machine.distance(thief, victim) : 0;
  }

  /** Looks whether any core has something to steal. */
  private void lookAround(int core) {
    if (!policy.steals()) {
      return;
    }
    for (int victim = 0; victim < cores; victim++) {
      if (victim != core) {
        machine.spend(costs.look());
        if (usesWorthy) {
          worthy[victim].read();
        } else {
          offered[victim].read();
        }
      }
    }
  }

  // ---- Counters

  @Override
  public Figures figures() {
    long steals = 0;
    long stolenNanos = 0;
    long stealNanos = 0;
    long parks = 0;
    long wakeups = 0;
    for (int i = 0; i < cores; i++) {
      steals += runtime.stealsWon(i);
      stolenNanos += runtime.stolenNanos(i);
      stealNanos += runtime.stealNanos(i);
      parks += runtime.parks(i);
      wakeups += runtime.wakeups(i);
    }
    return new Figures(steals, stolenNanos, stealNanos, 0, parks, wakeups, 0, 0, 0);
  }

  @Override
  public long stealsTried() {
    return IntStream.range(0, cores).mapToLong(runtime::stealsTried).sum();
  }
}
