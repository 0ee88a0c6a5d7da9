package dev.mely;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * One seeded interleaving of workers, producers, timers, frozen handlers and a shutdown over the
 * real classes of the runtime. The seed decides the machine, the load and who makes the next step;
 * a step is one action on shared memory. The invariants are checked as it goes:
 *
 * <ol>
 *   <li>no two events of one color overlap (no two workers hold one color);
 *   <li>the events of a color run in the order of registration;
 *   <li>no event is lost or runs twice: accepted = run + rejected;
 *   <li>no wake-up is lost: never do all workers sleep while an event waits;
 *   <li>(visibility between events of a color is a matter for jcstress)
 *   <li>no color waits for ever: its core passes it over a bounded number of times;
 *   <li>a handler that throws, {@code Error}s included, costs nobody else anything: all of the
 *       above hold although some do.
 * </ol>
 *
 * <p>And: a cancelled timer does not run, one that is not cancelled does; no count and no room is
 * left behind; a runtime that looks quiet is.
 *
 * <p>What it cannot show: reorderings below the level of sequential consistency.
 */
final class Schedule {
  static final long STEP_NANOS = 100;

  private static final int MAX_STEPS = 200_000;
  private static final StealPolicy[] POLICIES = {
    StealPolicy.ALL, StealPolicy.TIME_LEFT, StealPolicy.BASE, StealPolicy.PENALTY, StealPolicy.OFF
  };

  final SplittableRandom random;
  final SimHost host;
  final Scheduler scheduler;
  final Color[] colors;
  final List<SimWorker> workers = new ArrayList<>();
  final List<SimProducer> producers = new ArrayList<>();
  final List<SimTimer> timers = new ArrayList<>();

  /** How many events handlers may still register. */
  int budget;

  /** Long chains: every event registers another one, as long as the budget lasts. */
  final boolean eager;

  int accepted;
  int ran;
  int rejected;

  private final int[] registered;
  private final int[] finished;
  private final List<SimActor> actors = new ArrayList<>();
  private final List<SimHandler> handlers = new ArrayList<>();
  private final StringBuilder trace = new StringBuilder();
  private final boolean tracing;
  private int steps;
  private String violation = "";

  private Schedule(long seed, boolean tracing) {
    this.tracing = tracing;
    random = new SplittableRandom(seed);
    int cores = 1 + random.nextInt(4);
    host = new SimHost(seed, cores);
    Settings settings = settings(seed, cores);
    scheduler = new Scheduler(host, settings, host::newPoller);
    colors = new Color[1 + random.nextInt(5)];
    for (int i = 0; i < colors.length; i++) {
      colors[i] = scheduler.newColor(random.nextInt(cores), random.nextInt(12) == 0);
    }
    registered = new int[colors.length];
    finished = new int[colors.length];
    for (long cost : new long[] {10, 100_000, 0}) {
      handlers.add(new SimHandler(this, cost, random.nextInt(4) == 0));
    }
    for (int i = 0; i < cores; i++) {
      workers.add(new SimWorker(this, scheduler.core(i)));
    }
    actors.addAll(workers);
    eager = random.nextInt(32) == 0;
    int n = 1 + random.nextInt(eager ? 2 : 3);
    for (int i = 0; i < n; i++) {
      producers.add(new SimProducer(this, i, 1 + random.nextInt(eager ? 4 : 8)));
    }
    actors.addAll(producers);
    budget = eager ? (colors.length <= 2 ? 2_500 : 400) : random.nextInt(12);
    if (random.nextInt(eager ? 2 : 4) == 0) {
      actors.add(new SimCloser(this, random.nextInt(200), random.nextInt(400)));
    }
    log("%d cores, policy %s, order %s", cores, settings.policy(), settings.order());
    log(
        "%d colors, %d producers, bounds %d and %d in all",
        colors.length, n, settings.maxPendingPerColor(), settings.maxPending());
  }

  private Settings settings(long seed, int cores) {
    SettingsBuilder settings = new SettingsBuilder();
    StealPolicy policy = POLICIES[random.nextInt(POLICIES.length)];
    settings.cores = cores;
    settings.policy = policy;
    settings.batch = 1 + random.nextInt(3);
    settings.pollNanos = STEP_NANOS * random.nextInt(10);
    settings.spins = random.nextInt(3);
    settings.stealingCapacity = 2 + random.nextInt(3);
    settings.stealsOldest = random.nextInt(4) == 0;
    settings.order = random.nextInt(3) == 0 ? Mely.Order.CHEAPEST_FIRST : Mely.Order.ROTATION;
    settings.distance = policy.locality() ? (x, y) -> Math.abs(x - y) : (x, y) -> 0;
    int sharing = 1 + random.nextInt(4);
    settings.domain = core -> core / sharing;
    settings.randomMigration = random.nextInt(8) == 0;
    settings.seed = seed;
    settings.maxPendingPerColor = random.nextInt(4) == 0 ? 1 + random.nextInt(4) : 0;
    settings.maxPending = random.nextInt(8) == 0 ? 2 + random.nextInt(6) : 0;
    return settings.build();
  }

  /**
   * Runs the schedule of a seed.
   *
   * @return empty if every invariant held, else what was violated
   */
  static String run(long seed) {
    return new Schedule(seed, false).play();
  }

  /** Runs the schedule of a seed and returns what happened, step by step. */
  static String trace(long seed) {
    Schedule schedule = new Schedule(seed, true);
    String violation = schedule.play();
    return schedule.trace + (violation.isEmpty() ? "held\n" : "VIOLATED: " + violation + "\n");
  }

  private String play() {
    int sticky = random.nextInt(4);
    SimActor last = actors.get(0);
    try {
      while (violation.isEmpty()) {
        if (++steps > MAX_STEPS) {
          return "livelock: " + MAX_STEPS + " steps and no end; " + pending();
        }
        SimActor next = last.isReady() && random.nextInt(4) < sticky ? last : draw();
        if (next == null) {
          if (isOver()) {
            break;
          }
          if (!skipTime()) {
            return "lost wake-up: all workers sleep, and " + pending();
          }
          continue;
        }
        last = next;
        next.step();
        host.advance(STEP_NANOS);
        checkHolders();
      }
    } catch (RuntimeException | AssertionError e) {
      return "exception: " + e;
    }
    return violation.isEmpty() ? atEnd() : violation;
  }

  private SimActor draw() {
    int ready = 0;
    SimActor drawn = null;
    for (SimActor actor : actors) {
      if (actor.isReady() && random.nextInt(++ready) == 0) {
        drawn = actor;
      }
    }
    return drawn;
  }

  private boolean isOver() {
    return ran + rejected == accepted
        && timers.stream().allMatch(SimTimer::isOver)
        && workers.stream().noneMatch(SimWorker::isFrozen);
  }

  /** Nobody can go on now: to the next alarm, if an event need not have run before it. */
  private boolean skipTime() {
    long next = Long.MAX_VALUE;
    boolean frozen = false;
    for (SimWorker worker : workers) {
      next = Math.min(next, worker.alarm());
      frozen |= worker.isFrozen();
    }
    boolean waiting = accepted > ran + rejected;
    if (next == Long.MAX_VALUE || (waiting && !frozen)) {
      return false;
    }
    host.advanceTo(next);
    return true;
  }

  // ---- What is checked

  private void checkHolders() {
    for (int a = 0; a < workers.size(); a++) {
      Color held = workers.get(a).held();
      for (int b = a + 1; held != null && b < workers.size(); b++) {
        if (workers.get(b).held() == held) {
          fail("overlap: cores " + a + " and " + b + " run one color");
        }
      }
    }
  }

  /** An event takes its number in the step that registers it. */
  void number(SimEvent event) {
    event.sequence = registered[event.color]++;
    accepted++;
  }

  /** It was refused in the same step. */
  void takeBack(SimEvent event) {
    registered[event.color]--;
    accepted--;
  }

  /** It runs, or is rejected. */
  void checkOrder(SimEvent event) {
    int expected = finished[event.color]++;
    if (event.sequence != expected) {
      fail("order: color " + event.color + " got " + event.sequence + " before " + expected);
    }
  }

  private String atEnd() {
    if (ran + rejected != accepted) {
      return "lost event: " + pending();
    }
    for (int i = 0; i < colors.length; i++) {
      if (scheduler.phase() == Scheduler.OPEN && colors[i].pendingCount() != 0) {
        return "a count of " + colors[i].pendingCount() + " left behind in color " + i;
      }
      if (colors[i] instanceof BoundedColor bounded && bounded.load() != 0) {
        return "room for " + bounded.load() + " events left behind in color " + i;
      }
    }
    return idleCounts();
  }

  /** Who is asleep, and that nobody counts as searching who does not search. */
  private String idleCounts() {
    if (!workers.stream().allMatch(SimWorker::isAsleep)) {
      return "";
    }
    int idle = scheduler.idle.idle();
    int searching = scheduler.idle.searching();
    return idle == workers.size() && searching == 0
        ? ""
        : "all " + workers.size() + " sleep, but idle = " + idle + ", searching = " + searching;
  }

  private String pending() {
    return (accepted - ran - rejected) + " of " + accepted + " events have not run";
  }

  void fail(String what) {
    if (violation.isEmpty()) {
      violation = what;
    }
  }

  void log(String format, Object... arguments) {
    if (tracing) {
      trace.append(String.format("%5d ", steps)).append(String.format(format, arguments));
      trace.append('\n');
    }
  }

  /** Chains over many colors hop, those over few mostly stay. */
  boolean stays() {
    return eager && colors.length <= 2 && random.nextInt(256) > 0;
  }

  SimEvent newEvent() {
    return new SimEvent(random.nextInt(colors.length));
  }

  /** In a world of chains color 0 is heavy and the others are light. */
  SimHandler handler(SimEvent event) {
    return handlers.get(eager ? (event.color == 0 ? 1 : 0) : random.nextInt(handlers.size()));
  }
}
