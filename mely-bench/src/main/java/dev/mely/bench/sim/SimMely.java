package dev.mely.bench.sim;

import dev.mely.Color;
import dev.mely.Handler;
import dev.mely.StealPolicy;
import dev.mely.VirtualRuntime;
import dev.mely.bench.baseline.Figures;
import dev.mely.bench.baseline.Job;
import dev.mely.bench.baseline.Worker;
import dev.mely.topology.Topology;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Mely itself: the runtime's own classes, step by step. What a step costs is the sum of what its
 * instructions cost and of the lines that it has to fetch: each core's queue has a line that
 * producers write and one that whoever takes from it writes, its stealing-queue one, and its state
 * of sleep one; the number of sleepers and, by cache, of searchers have one each.
 */
final class SimMely implements SimRuntime<Color> {
  private final Simulation<Color> simulation;
  private final Machine machine;
  private final Clock clock;
  private final Costs costs;
  private final VirtualRuntime runtime;
  private final StealPolicy policy;
  private final boolean declared;

  /** Whether thieves look into stealing-queues. */
  private final boolean usesWorthy;

  private final int cores;

  /** By thief and distance: the victims whose loads it compares, where there are several. */
  private final List<List<int[]>> compared;

  /** How often a thief has begun a search. */
  private final int[] searches;

  // By core.
  private final Line[] offered;
  private final Line[] taken;
  private final Line[] worthy;
  private final Line[] parked;

  private final Line sleepers;

  /** By cache. */
  private final Line[] searchers;

  /**
   * @param policy which heuristics are on
   * @param declared whether handlers declare their costs and penalties; if not, they are measured
   * @param seed of what is random in the runtime
   */
  SimMely(Simulation<Color> simulation, StealPolicy policy, boolean declared, long seed) {
    this.simulation = simulation;
    this.machine = simulation.machine();
    this.clock = machine.clock();
    this.costs = machine.costs;
    this.policy = policy;
    this.declared = declared;
    this.usesWorthy = policy.timeLeft() || policy.penalty();
    this.cores = machine.cores();
    this.compared = IntStream.range(0, cores).mapToObj(this::compared).toList();
    this.searches = new int[cores];
    this.offered = lines(cores);
    this.taken = lines(cores);
    this.worthy = lines(cores);
    this.parked = lines(cores);
    this.sleepers = new Line(machine);
    this.searchers = lines(cores);
    VirtualRuntime.Plan plan =
        new VirtualRuntime.Plan(cores, policy, machine::distance, machine::cache, false, seed);
    this.runtime = new VirtualRuntime(plan, new Outside());
  }

  private Line[] lines(int count) {
    Line[] lines = new Line[count];
    Arrays.setAll(lines, i -> new Line(machine));
    return lines;
  }

  /** Time, and who is woken up. */
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
      if (machine.current() != Machine.OUTSIDE) {
        machine.spend(costs.wakeCall());
      }
      simulation.wake(core, costs.wakeDelay());
    }
  }

  // ---- Events

  @Override
  public int cores() {
    return cores;
  }

  @Override
  public Color newColor(int core) {
    return runtime.newColor(core, false);
  }

  @Override
  public Color newPinnedColor(int core) {
    return runtime.newColor(core, true);
  }

  @Override
  public void moveTo(Color color, int core) {
    color.moveTo(core);
  }

  @Override
  public Handler<Job> kind(Duration cost, int penalty) {
    return declared ? Handler.of(Job::run, cost, penalty) : Handler.of(Job::run);
  }

  @Override
  public void register(Color color, Job job) {
    int core = machine.current();
    int home = color.core();
    int before = runtime.waiting(home);
    int worthyBefore = runtime.worthy(home);
    runtime.register(core, color, job.kind(), job);
    if (core == Machine.OUTSIDE) {
      return;
    }
    if (runtime.waiting(home) > before) {
      machine.spend(costs.register());
      offered[home].write();
      parked[home].read();
    } else {
      machine.spend(costs.append());
    }
    if (runtime.worthy(home) != worthyBefore) {
      worthy[home].write();
      sleepers.read();
    }
  }

  // ---- Steps

  @Override
  public long step(int core) {
    int before = runtime.state(core);
    if (before == VirtualRuntime.WAKE && runtime.isAsleep(core)) {
      return alarm(core); // not yet: its first step, or a rounded time
    }
    int victim = before == VirtualRuntime.SEARCH ? runtime.victim(core) : -1;
    int own = runtime.waiting(core);
    int theirs = 0;
    if (victim >= 0) {
      machine.spend(costs.look());
      if (usesWorthy) {
        worthy[victim].read();
      } else {
        offered[victim].read();
        taken[victim].read();
      }
      theirs = entries(victim);
    }
    if (before == VirtualRuntime.RUN) {
      machine.spend(costs.run());
    }
    runtime.step(core);
    int after = runtime.state(core);
    charge(core, before, after, own);
    if (victim >= 0 && entries(victim) != theirs) {
      machine.spend(costs.claim());
      (usesWorthy ? worthy : taken)[victim].write();
    }
    if (after == VirtualRuntime.SEARCH && before != VirtualRuntime.SEARCH) {
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

  private void charge(int core, int before, int after, int own) {
    switch (before) {
      case VirtualRuntime.PICK -> {
        if (runtime.waiting(core) != own) {
          machine.spend(costs.pick());
          taken[core].write();
          if (usesWorthy) {
            worthy[core].read();
          }
        } else {
          machine.spend(costs.look());
          offered[core].read();
        }
      }
      case VirtualRuntime.FINISH -> {
        machine.spend(costs.finish());
        if (runtime.waiting(core) > own) {
          offered[core].write();
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
    if (before == VirtualRuntime.SEARCH && after == VirtualRuntime.RUN) {
      searchers[machine.cache(core)].write();
    }
  }

  /** Orders the victims: by their loads, where several are as far away. */
  private void beginSearch(int core) {
    searchers[machine.cache(core)].write();
    int turn = searches[core]++ * VirtualRuntime.LOOKS;
    for (int[] group : compared.get(core)) {
      int looks = Math.min(group.length, VirtualRuntime.LOOKS);
      int from = looks < group.length ? Math.floorMod(turn, group.length) : 0;
      for (int i = 0; i < looks; i++) {
        int victim = group[(from + i) % group.length];
        machine.spend(costs.look());
        offered[victim].read();
        taken[victim].read();
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

  /** As the policy sees it. */
  private int distanceOf(int thief, int victim) {
    return policy.locality() ? machine.distance(thief, victim) : 0;
  }

  /** Whether anybody has something to steal. */
  private void lookAround(int core) {
    if (!policy.stealing()) {
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

  // ---- What was counted

  @Override
  public Worker worker() {
    throw new UnsupportedOperationException("simulated cores have no worker's counters");
  }

  @Override
  public long counted() {
    return simulation.events();
  }

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
    long tried = 0;
    for (int i = 0; i < cores; i++) {
      tried += runtime.stealsTried(i);
    }
    return tried;
  }

  @Override
  public void close() {}
}
