package dev.mely;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.RejectedExecutionException;

/**
 * One seeded interleaving of workers, producers, timers, frozen handlers and a shutdown over the
 * real classes of the runtime. The seed decides the machine, the load and who makes the next step;
 * a step is one action on shared memory. The invariants are checked as it goes:
 *
 * <ol>
 *   <li>no two events of one color overlap (no two workers hold one color);
 *   <li>the events of a color run in the order of registration;
 *   <li>no event is lost or runs twice: accepted = run + rejected;
 *   <li>no wake-up is lost: never do all workers sleep while an event waits.
 * </ol>
 *
 * <p>What it cannot show: reorderings below the level of sequential consistency.
 */
final class Schedule {
  private static final int MAX_STEPS = 50_000;
  private static final long STEP_NANOS = 100;
  private static final StealPolicy[] POLICIES = {
    StealPolicy.ALL, StealPolicy.TIME_LEFT, StealPolicy.BASE, StealPolicy.PENALTY, StealPolicy.OFF
  };

  private final SplittableRandom random;
  private final SimHost host;
  private final Scheduler scheduler;
  private final Color[] colors;
  private final int[] registered;
  private final int[] finished;
  private final List<Actor> actors = new ArrayList<>();
  private final List<WorkerActor> workers = new ArrayList<>();
  private final List<Handler<SimEvent>> handlers = new ArrayList<>();
  private final StringBuilder trace = new StringBuilder();
  private final boolean tracing;
  private int budget;
  private int accepted;
  private int ran;
  private int rejected;
  private int timersPending;
  private int steps;
  private String violation = "";

  private Schedule(long seed, boolean tracing) {
    this.tracing = tracing;
    random = new SplittableRandom(seed);
    int cores = 1 + random.nextInt(4);
    StealPolicy policy = POLICIES[random.nextInt(POLICIES.length)];
    host = new SimHost(seed, cores);
    Settings settings =
        new Settings(
            cores,
            policy,
            1 + random.nextInt(3),
            50_000,
            STEP_NANOS * random.nextInt(10),
            5_000_000,
            random.nextInt(3),
            2 + random.nextInt(3),
            policy.locality() ? (a, b) -> Math.abs(a - b) : (a, b) -> 0,
            random.nextInt(8) == 0,
            seed,
            new Errors((color, event, error) -> {}));
    scheduler = new Scheduler(host, settings, host::newPoller);
    colors = new Color[1 + random.nextInt(5)];
    for (int i = 0; i < colors.length; i++) {
      colors[i] = new Color(scheduler, random.nextInt(cores), random.nextInt(12) == 0);
    }
    registered = new int[colors.length];
    finished = new int[colors.length];
    handlers.add(new SimHandler(10));
    handlers.add(new SimHandler(100_000));
    handlers.add(new SimHandler(0));
    for (int i = 0; i < cores; i++) {
      WorkerActor worker = new WorkerActor(scheduler.core(i));
      workers.add(worker);
      actors.add(worker);
    }
    int producers = 1 + random.nextInt(3);
    for (int i = 0; i < producers; i++) {
      actors.add(new Producer(i, 1 + random.nextInt(8)));
    }
    budget = random.nextInt(12);
    if (random.nextInt(4) == 0) {
      actors.add(new Closer(random.nextInt(200)));
    }
    log("%d cores, policy %s, %d colors, %d producers", cores, policy, colors.length, producers);
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
    Actor last = actors.get(0);
    try {
      while (violation.isEmpty()) {
        if (++steps > MAX_STEPS) {
          return "livelock: " + MAX_STEPS + " steps and no end; " + pending();
        }
        Actor next = last.isReady() && random.nextInt(4) < sticky ? last : draw();
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

  private Actor draw() {
    int ready = 0;
    Actor drawn = null;
    for (Actor actor : actors) {
      if (actor.isReady() && random.nextInt(++ready) == 0) {
        drawn = actor;
      }
    }
    return drawn;
  }

  private boolean isOver() {
    return ran + rejected == accepted && timersPending == 0 && nobodyIsFrozen();
  }

  private boolean nobodyIsFrozen() {
    return workers.stream().noneMatch(WorkerActor::isFrozen);
  }

  /** Nobody can go on now: to the next alarm, if an event need not have run before it. */
  private boolean skipTime() {
    long next = Long.MAX_VALUE;
    boolean frozen = false;
    for (WorkerActor worker : workers) {
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

  private String pending() {
    return (accepted - ran - rejected) + " of " + accepted + " events have not run";
  }

  private String atEnd() {
    if (ran + rejected != accepted) {
      return "lost event: " + pending();
    }
    for (int i = 0; i < colors.length; i++) {
      if (scheduler.phase() == Scheduler.OPEN && colors[i].pendingCount() != 0) {
        return "a count of " + colors[i].pendingCount() + " left behind in color " + i;
      }
    }
    return "";
  }

  private void checkHolders() {
    for (int a = 0; a < workers.size(); a++) {
      Color held = workers.get(a).worker.held();
      for (int b = a + 1; held != null && b < workers.size(); b++) {
        if (workers.get(b).worker.held() == held) {
          fail("overlap: cores " + a + " and " + b + " run one color");
        }
      }
    }
  }

  private void fail(String what) {
    if (violation.isEmpty()) {
      violation = what;
    }
  }

  private void log(String format, Object... arguments) {
    if (tracing) {
      trace.append(String.format("%5d ", steps)).append(String.format(format, arguments));
      trace.append('\n');
    }
  }

  private SimEvent newEvent() {
    return new SimEvent(random.nextInt(colors.length));
  }

  private Handler<SimEvent> anyHandler() {
    return handlers.get(random.nextInt(handlers.size()));
  }

  /** An event takes its number in the step that registers it. */
  private void number(SimEvent event) {
    event.sequence = registered[event.color]++;
    accepted++;
  }

  private static final class SimEvent extends Event {
    private final int color;
    private int sequence;

    SimEvent(int color) {
      this.color = color;
    }
  }

  private final class SimHandler extends Handler<SimEvent> {
    private final long nanos;

    SimHandler(long nanos) {
      super(nanos == 0 ? null : java.time.Duration.ofNanos(nanos), 1);
      this.nanos = nanos;
    }

    @Override
    public void handle(SimEvent event) {
      log("    runs event %d.%d", event.color, event.sequence);
      check(event);
      ran++;
      host.advance(nanos);
      int chance = random.nextInt(8);
      if (chance < 3 && budget > 0) {
        budget--;
        SimEvent child = chance == 0 ? event : newEvent();
        number(child);
        log("    registers event %d.%d", child.color, child.sequence);
        child.handler = anyHandler();
        try {
          scheduler.post(colors[child.color], child);
        } catch (RejectedExecutionException e) {
          log("    refused");
          registered[child.color]--;
          accepted--;
        }
      } else if (chance == 3) {
        throw new IllegalStateException("a handler that throws");
      }
    }

    @Override
    protected void rejected(SimEvent event) {
      log("    rejects event %d.%d", event.color, event.sequence);
      check(event);
      rejected++;
    }

    private void check(SimEvent event) {
      int expected = finished[event.color]++;
      if (event.sequence != expected) {
        fail("order: color " + event.color + " got " + event.sequence + " before " + expected);
      }
    }
  }

  /** Something that can make a step. */
  private abstract static class Actor {
    abstract boolean isReady();

    abstract void step();
  }

  /** The real worker, one step at a time; now and then it freezes inside a color. */
  private final class WorkerActor extends Actor {
    private static final String[] STATES = {
      "pick", "run", "finish", "poll", "search", "publish", "recheck", "park", "wake", "exit"
    };
    private final Worker worker;
    private final Core core;
    private final SimHost.SimPoller poller;
    private long frozenUntil;

    WorkerActor(Core core) {
      this.core = core;
      this.worker = core.worker();
      this.poller = host.poller(core.index);
    }

    boolean hasLeft() {
      return worker.state() == Worker.EXIT;
    }

    boolean isFrozen() {
      return frozenUntil > host.nanos();
    }

    /** When it goes on by itself. */
    long alarm() {
      if (worker.state() == Worker.EXIT) {
        return Long.MAX_VALUE;
      }
      return isFrozen() ? frozenUntil : poller.until();
    }

    @Override
    boolean isReady() {
      if (worker.state() == Worker.EXIT || isFrozen()) {
        return false;
      }
      return worker.state() != Worker.WAKE || !poller.isAsleep();
    }

    @Override
    void step() {
      int before = worker.state();
      if (before == Worker.WAKE) {
        poller.awake();
      }
      host.enter(core.index);
      int after = worker.step();
      host.leave();
      log("core %d: %s -> %s", core.index, STATES[before], STATES[after]);
      if (after == Worker.RUN && random.nextInt(24) == 0) {
        frozenUntil = host.nanos() + 20_000_000;
        log("core %d: freezes", core.index);
      }
    }
  }

  /** Registers events through the steps of a registration, and timers. */
  private final class Producer extends Actor {
    private final int number;
    private int left;
    private int at;
    private SimEvent event = newEvent();
    private Event previous;
    private Core home;
    private long weight;

    Producer(int number, int events) {
      this.number = number;
      this.left = events;
    }

    @Override
    boolean isReady() {
      return left > 0;
    }

    @Override
    void step() {
      Color color = colors[event.color];
      switch (at) {
        case 0 -> start(color);
        case 1 -> {
          color.link(previous, event);
          log("producer %d: links %d.%d", number, event.color, event.sequence);
          at = 2;
        }
        case 2 -> {
          if (previous == null) {
            home = scheduler.prepare(color, weight);
            scheduler.place(color, home);
            at = 3;
          } else {
            scheduler.gained(color, weight);
            at = 4;
          }
          log("producer %d: placed color %d", number, event.color);
        }
        case 3 -> {
          scheduler.announce(color, home);
          log("producer %d: announced color %d", number, event.color);
          at = 4;
        }
        default -> {
          scheduler.rejectIfClosed(color);
          next();
        }
      }
    }

    private void start(Color color) {
      if (scheduler.phase() != Scheduler.OPEN) {
        log("producer %d: refused", number);
        next();
        return;
      }
      if (random.nextInt(6) == 0) {
        startTimer(color);
        return;
      }
      event.handler = anyHandler();
      weight = scheduler.weigh(event);
      number(event);
      previous = color.swap(event);
      log("producer %d: swaps %d.%d", number, event.color, event.sequence);
      at = 1;
    }

    private void startTimer(Color color) {
      int c = event.color;
      timersPending++;
      Handler<Color> fired =
          new Handler<>(null, 1) {
            @Override
            public void handle(Color ignored) {
              log("    timer of color %d", c);
              timersPending--;
            }

            @Override
            protected void rejected(Color ignored) {
              timersPending--;
            }
          };
      long deadline = host.nanos() + random.nextInt(200_000);
      scheduler.schedule(new TimerEvent(color, fired, color, deadline, 0));
      log("producer %d: starts a timer of color %d", number, c);
      next();
    }

    private void next() {
      left--;
      at = 0;
      event = newEvent();
    }
  }

  /** Closes the runtime under everybody's feet. */
  private final class Closer extends Actor {
    private int delay;
    private int at;

    Closer(int delay) {
      this.delay = delay;
    }

    @Override
    boolean isReady() {
      return at < 2 || (at == 2 && workers.stream().allMatch(WorkerActor::hasLeft));
    }

    @Override
    void step() {
      if (delay-- > 0) {
        return;
      }
      switch (at++) {
        case 0 -> {
          log("closer: closes");
          for (WorkerActor worker : workers) {
            timersPending -= worker.core.timers.close();
          }
          scheduler.setPhase(Scheduler.CLOSED);
        }
        case 1 -> workers.forEach(worker -> worker.poller.wakeup());
        default -> {
          log("closer: sweeps");
          scheduler.sweep();
        }
      }
    }
  }
}
