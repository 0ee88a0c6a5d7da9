package dev.mely;

import dev.mely.kit.Fault;
import dev.mely.spi.Poller;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

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
 * <p>In one schedule of {@value #ASKING} events ask for several colors, read some, and fork: what
 * excludes each other does, what is granted is current, and a continuation comes last.
 *
 * <p>In some schedules events are the steps of tasks that allocate from pools of one or two
 * instances: no color sleeps in line while there is room, nobody runs into an empty pool but who
 * has waited too long, and all instances come back.
 *
 * <p>In some schedules colors are paused and resumed: no event of a paused color begins.
 *
 * <p>And: a cancelled timer does not run, one that is not cancelled does; no count and no room is
 * left behind; a runtime that looks quiet is.
 *
 * <p>In one schedule of four memory runs out at the beginning of some steps, and some calls of a
 * {@link Poller} fail: all of the above holds all the same.
 *
 * <p>What it cannot show: reorderings below the level of sequential consistency.
 */
final class Schedule {
  static final long STEP_NANOS = 100;

  /** In one schedule of so many, the last, events ask for permissions. */
  static final int ASKING = 4;

  /** Most steps in which no event runs or is rejected, and a tenth of the most in all. */
  private static final int MAX_STEPS = 200_000;

  private static final StealPolicy[] POLICIES = {
    StealPolicy.ALL, StealPolicy.TIME_LEFT, StealPolicy.BASE, StealPolicy.PENALTY, StealPolicy.OFF
  };

  final SplittableRandom random;
  final SimHost host;
  final Scheduler scheduler;
  final Timers runtimeTimers;
  final Granter granter;
  final Color[] colors;
  final List<SimWorker> workers = new ArrayList<>();
  final List<SimProducer> producers = new ArrayList<>();
  final List<SimTimer> timers = new ArrayList<>();

  /** Who holds what. */
  final SimLocks locks;

  /** How many events handlers may still register. */
  int budget;

  /** Long chains: every event registers another one, as long as the budget lasts. */
  final boolean eager;

  /** Few colors, and many events that ask for several of them, or fork. */
  final boolean asking;

  int accepted;
  int ran;
  int rejected;

  /** By source and color. A source is a producer, or the handlers of one color. */
  private final int[][] registered;

  private final int[][] finished;

  /** By color. */
  private final List<SimLine> lines = new ArrayList<>();

  private final Strand.@Nullable World strands;
  private final List<SimActor> actors = new ArrayList<>();
  private final List<SimHandler> handlers = new ArrayList<>();
  private final @Nullable SimPools pools;
  private final @Nullable SimPauser pauser;
  private final List<SimAskHandler> askHandlers = new ArrayList<>();
  private final StringBuilder trace = new StringBuilder();
  private final boolean tracing;

  /** Memory may run out in the middle of a step: see {@link Fault}. */
  private final boolean starved;

  private int steps;

  /** The step after which an event had last run, or been rejected, and how many had by then. */
  private int lastProgress;

  private int progress;
  private String violation = "";

  private Schedule(long seed, boolean tracing, boolean stepping) {
    this(seed, tracing, stepping, false);
  }

  private Schedule(long seed, boolean tracing, boolean stepping, boolean starved) {
    this.tracing = tracing;
    this.starved = starved;
    this.strands = stepping ? new Strand.World(seed) : null;
    random = new SplittableRandom(seed);
    int cores = 1 + random.nextInt(4);
    host = new SimHost(seed, cores, starved);
    if (stepping || starved) {
      host.allowPauses();
    }
    pools = SimPools.has(seed) && !stepping ? new SimPools(this, seed) : null;
    Settings settings = settings(seed, cores);
    scheduler = new Scheduler(host, settings, host::newPoller);
    runtimeTimers = new Timers(scheduler);
    granter = new Granter(scheduler);
    asking = seed % ASKING == ASKING - 1;
    colors = new Color[1 + random.nextInt(asking ? 3 : 5)];
    for (int i = 0; i < colors.length; i++) {
      colors[i] = scheduler.newColor(random.nextInt(cores), random.nextInt(12) == 0);
    }
    locks = new SimLocks(colors.length);
    for (Color color : colors) {
      lines.add(new SimLine());
    }
    askHandlers.add(new SimAskHandler(this, 0));
    askHandlers.add(new SimAskHandler(this, 50_000));
    for (long cost : new long[] {10, 100_000, 0}) {
      handlers.add(new SimHandler(this, cost, random.nextInt(4) == 0));
    }
    if (pools != null) {
      add(pools);
    }
    for (int i = 0; i < cores; i++) {
      workers.add(new SimWorker(this, scheduler.core(i)));
    }
    workers.forEach(this::add);
    eager = random.nextInt(32) == 0 && !stepping;
    int n = 1 + random.nextInt(eager ? 2 : 3);
    for (int i = 0; i < n; i++) {
      producers.add(new SimProducer(this, i, 1 + random.nextInt(eager ? 4 : 8)));
    }
    producers.forEach(this::add);
    registered = new int[n + colors.length][colors.length];
    finished = new int[n + colors.length][colors.length];
    budget = eager ? (colors.length <= 2 ? 2_500 : 400) : random.nextInt(12);
    if (random.nextInt(eager ? 2 : 4) == 0) {
      add(new SimCloser(this, random.nextInt(200), random.nextInt(400)));
    }
    pauser = SimPauser.has(seed) ? new SimPauser(this, seed) : null;
    if (pauser != null) {
      add(pauser);
    }
    log("%d cores, policy %s, cheapest first: %s", cores, settings.policy, settings.cheapestFirst);
    log(
        "%d colors, %d producers, bounds %d and %d in all",
        colors.length, n, settings.maxPendingPerColor, settings.maxPending);
  }

  private void add(SimActor actor) {
    actors.add(strands == null ? actor : new Strand(strands, actor, host));
  }

  /** Whether memory may run out in the middle of a step. */
  boolean isStarved() {
    return starved;
  }

  /** Whether actors may stop inside a step. */
  boolean hasStops() {
    return strands != null;
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
    settings.order =
        random.nextInt(3) == 0 ? MelyBuilder.Order.CHEAPEST_FIRST : MelyBuilder.Order.ROTATION;
    settings.distance =
        policy.isOn(StealPolicy.Heuristic.LOCALITY) ? (x, y) -> Math.abs(x - y) : (x, y) -> 0;
    int sharing = 1 + random.nextInt(4);
    settings.domain = core -> core / sharing;
    settings.randomMigration = random.nextInt(8) == 0;
    settings.seed = seed;
    settings.plan = pools == null ? null : pools.plan;
    settings.maxPendingPerColor = random.nextInt(4) == 0 ? 1 + random.nextInt(4) : 0;
    settings.maxPending = random.nextInt(8) == 0 ? 2 + random.nextInt(6) : 0;
    if (strands != null) {
      if (random.nextBoolean()) {
        settings.maxPendingPerColor = random.nextInt(3);
        settings.maxPending = random.nextInt(3);
      }
      settings.overflow =
          random.nextInt(4) == 0 ? MelyBuilder.Overflow.REJECT : MelyBuilder.Overflow.BLOCK;
      settings.queueCapacity = random.nextInt(8) == 0 ? 4 : settings.queueCapacity;
    }
    return settings.build();
  }

  /**
   * Runs the schedule of a seed.
   *
   * @return empty if every invariant held, else what was violated
   */
  static String run(long seed) {
    return new Schedule(seed, false, false).play();
  }

  /** The same, with stops inside of steps; the runtime must come from a {@link SteppingLoader}. */
  static String runWithStops(long seed) {
    return new Schedule(seed, false, true).play();
  }

  /** The same as {@link #run}, with a {@link Fault}, for a runtime from a {@code FaultLoader}. */
  static String runStarved(long seed) {
    return new Schedule(seed, false, false, true).play();
  }

  static String traceWithStops(long seed) {
    return trace(new Schedule(seed, true, true));
  }

  /** Runs the schedule of a seed and returns what happened, step by step. */
  static String trace(long seed) {
    return trace(new Schedule(seed, true, false));
  }

  private static String trace(Schedule schedule) {
    String violation = schedule.play();
    return schedule.trace + (violation.isEmpty() ? "held\n" : "VIOLATED: " + violation + "\n");
  }

  private String play() {
    int sticky = random.nextInt(4);
    SimActor last = actors.get(0);
    try {
      while (violation.isEmpty()) {
        if (isEndless()) {
          return "livelock: " + steps + " steps and no end; " + pending();
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
        step(next);
        host.advance(STEP_NANOS);
        if (strands == null) {
          checkHolders(); // who is about to let go of a color may still be seen to hold it
        }
      }
    } catch (RuntimeException | AssertionError e) {
      return "exception: " + e;
    } finally {
      if (strands != null) {
        strands.end();
      }
    }
    return violation.isEmpty() ? atEnd() : violation;
  }

  /** A step that fails for lack of memory is tried again. A worker goes on by itself. */
  private void step(SimActor next) {
    if (!starved) {
      next.step();
      return;
    }
    Fault.setAtWork(true);
    try {
      next.step();
    } catch (OutOfMemoryError e) {
      log("    fails: %s", e.getMessage());
    } finally {
      Fault.setAtWork(false);
    }
  }

  /** Where half of all steps fail, what waits for memory to come back takes many, but goes on. */
  private boolean isEndless() {
    if (progress != ran + rejected) {
      progress = ran + rejected;
      lastProgress = steps;
    }
    return ++steps > lastProgress + MAX_STEPS || steps > 10 * MAX_STEPS;
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
        && (pools == null || !pools.isReady())
        && (strands == null || strands.strands.stream().noneMatch(Strand::isInStep))
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
    boolean waiting = accepted > ran + rejected && !(pools != null && pools.explainsWaiting());
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
      for (Ticket ticket : workers.get(a).tickets()) {
        checkTicket(a, ticket);
      }
    }
  }

  /** What a core's event holds until its batch is over, and afterwards, nobody else may have. */
  private void checkTicket(int a, Ticket ticket) {
    for (int b = 0; b < workers.size(); b++) {
      boolean meets = b != a && workers.get(b).held() == ticket.color;
      for (Ticket other : b == a ? new Ticket[0] : workers.get(b).tickets()) {
        meets |= other.color == ticket.color && !(other.reads && ticket.reads);
      }
      if (meets) {
        fail("overlap: cores " + a + " and " + b + " have one color");
      }
    }
  }

  /**
   * An event takes its number in the step that registers it. Where steps have stops nobody knows
   * which of two that are registered at the same time comes first: then it counts those of its own
   * source.
   */
  void number(SimEvent event, int source) {
    event.source = strands == null ? 0 : source;
    event.sequence = registered[event.source][event.color]++;
    event.place = lines.get(event.color).add(false);
    accepted++;
  }

  /** The same of an event over several colors. */
  void number(SimAsk ask) {
    for (int i = 0; i < ask.colors.length; i++) {
      ask.places[i] = lines.get(ask.colors[i]).add(ask.reads[i]);
    }
    accepted++;
  }

  void takeBack(SimAsk ask) {
    for (int color : ask.colors) {
      lines.get(color).takeBack();
    }
    accepted--;
  }

  /** It was refused in the same step. */
  void takeBack(SimEvent event) {
    registered[event.source][event.color]--;
    lines.get(event.color).takeBack();
    accepted--;
  }

  /** Whether events may wait for a color to be resumed. */
  boolean isAnyPaused() {
    return pauser != null && pauser.isAnyPaused();
  }

  /** A handler of a color begins. */
  void enter(int color) {
    if (strands == null && pauser != null && pauser.isPaused(color)) {
      fail("paused: an event of color " + color + " begins");
    }
    if (!locks.enter(color, false)) {
      fail("overlap: two events of color " + color);
    }
  }

  void leave(int color) {
    locks.leave(color, false);
  }

  /** The handlers of a color as a source. */
  int sourceOf(int color) {
    return producers.size() + color;
  }

  /** It runs, or is rejected. */
  void checkOrder(SimEvent event) {
    int expected = finished[event.source][event.color]++;
    if (event.sequence != expected) {
      fail("order: color " + event.color + " got " + event.sequence + " before " + expected);
    }
  }

  /** It runs: its place in the line of a color. Where steps have stops, nobody knows the line. */
  void checkPlace(int color, int place) {
    if (strands == null && !lines.get(color).isNext(place)) {
      fail("order: color " + color + " got number " + place + " of its line too early");
    }
  }

  /** It is over, or will never run. */
  void leaveLine(int color, int place) {
    lines.get(color).end(place);
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
    String pooled = pools == null ? "" : pools.atEnd();
    return pooled.isEmpty() ? idleCounts() : pooled;
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

  SimAskHandler askHandler() {
    return askHandlers.get(random.nextInt(askHandlers.size()));
  }

  /** In a world of chains color 0 is heavy and the others are light. */
  Handler<SimEvent> handler(SimEvent event) {
    if (pools != null && pools.isTask()) {
      return pools.begin(event);
    }
    return handlers.get(eager ? (event.color == 0 ? 1 : 0) : random.nextInt(handlers.size()));
  }
}
