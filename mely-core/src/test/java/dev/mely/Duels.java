package dev.mely;

import dev.mely.report.ShutdownReport;
import dev.mely.spi.Poller;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/** What is fought out in a {@link Duel}, and what must hold afterwards. */
final class Duels {
  private static final Map<String, Function<Duel, Duel>> ALL =
      Map.ofEntries(
          Map.entry("consumers of a core-queue", Duels::consumers),
          Map.entry("threads in a poller", Duels::pollers),
          Map.entry("registrations of two colors", Duels::stripes),
          Map.entry("watchers come", Duels::watchersCome),
          Map.entry("watchers go", Duels::watchersGo),
          Map.entry("a call and a worker that wakes up", Duels::call),
          Map.entry("wake-ups of one worker", Duels::wakeUps),
          Map.entry("claims", ColorDuels::claims),
          Map.entry("claims at the end", ColorDuels::claimsAtEnd),
          Map.entry("a release and an event", ColorDuels::release),
          Map.entry("weights are added", ColorDuels::weights),
          Map.entry("a weight is settled", ColorDuels::settled),
          Map.entry("producers of one color", ColorDuels::producers),
          Map.entry("readers and a writer", ColorDuels::readers),
          Map.entry("a timer is fired and cancelled", TimerDuels::timer),
          Map.entry("a timer is fired and dropped", TimerDuels::droppedTimer),
          Map.entry("a periodic timer is cancelled", TimerDuels::periodic),
          Map.entry("timers are added and expire", TimerDuels::timers),
          Map.entry("timers are added and swept", TimerDuels::sweptTimers),
          Map.entry("a timer is added at the end", TimerDuels::lateTimer),
          Map.entry("children fail", Duels::failures),
          Map.entry("children end", Duels::children),
          Map.entry("colors are paused and resumed", ColorDuels::pauses),
          Map.entry("a color is resumed as it parks", ColorDuels::resume),
          Map.entry("rejections", Duels::rejections),
          Map.entry("rejections of one color", Duels::rejectionsOfOne),
          Map.entry("lookups of one key", ColorDuels::lookups),
          Map.entry("a color is moved and woken", ColorDuels::move),
          Map.entry("an idle color is taken and woken", ColorDuels::holdIdle),
          Map.entry("producers without room", duel -> RoomDuels.room(duel, 1)),
          Map.entry("producers with some room", duel -> RoomDuels.room(duel, 2)),
          Map.entry("producers of one place each", RoomDuels::places),
          Map.entry("a notice looks and leaves", RoomDuels::notice),
          Map.entry("a notice is woken twice", RoomDuels::wokenTwice),
          Map.entry("a worker waits and is woken", Duels::wakeUp),
          Map.entry("shutdowns", Duels::shutdowns));

  /** More steps than a worker makes before it sleeps. */
  static final int ENOUGH = 200;

  private Duels() {}

  /** Fights all of them; returns what was violated, or an empty text. */
  static String run(long seed) {
    for (Map.Entry<String, Function<Duel, Duel>> one : new TreeMap<>(ALL).entrySet()) {
      String violation = violation(one.getValue(), new Duel(seed));
      if (!violation.isEmpty()) {
        return one.getKey() + ": " + violation;
      }
    }
    return "";
  }

  private static String violation(Function<Duel, Duel> one, Duel duel) {
    try {
      return one.apply(duel).violation();
    } catch (RuntimeException | AssertionError e) {
      return "afterwards: " + e;
    }
  }

  // ---- The place

  static Scheduler scheduler(Duel duel) {
    return scheduler(duel, settings -> settings);
  }

  static Scheduler scheduler(Duel duel, UnaryOperator<SettingsBuilder> change) {
    SettingsBuilder settings = new SettingsBuilder();
    settings.cores = 2;
    settings.errors =
        (color, event, error) -> {
          throw new AssertionError(error);
        };
    return new Scheduler(duel.host, change.apply(settings).build(), duel.host::newPoller);
  }

  /** Counts what it is given, and what is rejected. */
  static class Counting extends Handler<Object> {
    int ran;
    int rejected;

    Counting() {
      super(Work.MEASURED);
    }

    @Override
    public void handle(Object event) {
      ran++;
    }

    @Override
    protected void rejected(Object event) {
      rejected++;
    }
  }

  static Event event(Handler<?> handler) {
    Event event = new SimEvent(0);
    event.attach(handler);
    return event;
  }

  static Runnable counting(int[] count, BooleanSupplier action) {
    return () -> {
      if (action.getAsBoolean()) {
        count[0]++;
      }
    };
  }

  static List<VirtualWorker> workers(Duel duel, Scheduler scheduler) {
    Timers timers = new Timers(scheduler);
    List<VirtualWorker> workers = new ArrayList<>();
    for (int i = 0; i < scheduler.cores(); i++) {
      workers.add(new VirtualWorker(duel.host, scheduler, timers, scheduler.core(i)));
    }
    return workers;
  }

  /** All workers make some steps, one after the other. */
  static void run(List<VirtualWorker> workers, int steps) {
    for (int i = 0; i < steps; i++) {
      for (VirtualWorker worker : workers) {
        if (worker.isReady()) {
          worker.step();
        }
      }
    }
  }

  /** Runs what is pending, and then one more event of a color. */
  static void checkGoesOn(
      Duel duel, Scheduler scheduler, List<VirtualWorker> workers, Color color, Counting handler) {
    run(workers, ENOUGH);
    int before = handler.ran;
    scheduler.post(color, event(handler));
    run(workers, ENOUGH);
    duel.check(handler.ran == before + 1, "the color does not go on");
  }

  // ---- Counts and flags

  private static Duel consumers(Duel duel) {
    CoreQueue queue = scheduler(duel).core(0).queue;
    return alone(duel, queue::tryConsume, queue::tryConsume);
  }

  private static Duel pollers(Duel duel) {
    Core core = scheduler(duel).core(0);
    return alone(duel, core::tryLockPoller, core::tryLockPoller);
  }

  /** One of them alone gets in. */
  static Duel alone(Duel duel, BooleanSupplier one, BooleanSupplier other) {
    int[] inside = new int[1];
    duel.side(counting(inside, one)).side(counting(inside, other)).fight();
    duel.check(inside[0] == 1, inside[0] + " are inside");
    return duel;
  }

  private static Duel stripes(Duel duel) {
    Stripes stripes = new Stripes();
    Object[] colors = {new Object(), new Object()};
    int[] inside = new int[1];
    Runnable side =
        () -> {
          long locked = stripes.lock(colors);
          duel.check(++inside[0] == 1, "two are inside");
          Strand.between();
          inside[0]--;
          stripes.unlock(locked);
        };
    return duel.side(side).side(side).fight();
  }

  private static Duel watchersCome(Duel duel) {
    return watchers(duel, new IdleCores(0, 0), 0);
  }

  private static Duel watchersGo(Duel duel) {
    return watchers(duel, new IdleCores(0, 0), 2);
  }

  private static Duel watchers(Duel duel, IdleCores idle, int before) {
    int[] watching = {0};
    Runnable come = counting(watching, idle::startWatching);
    for (int i = 0; i < before; i++) {
      come.run();
      duel.side(idle::stopWatching);
    }
    watching[0] -= before;
    for (int i = before; i < 3; i++) {
      duel.side(come);
    }
    duel.fight();
    for (int i = 0; i < 3; i++) {
      come.run();
    }
    duel.check(watching[0] == 2, watching[0] + " watch");
    return duel;
  }

  private static Duel call(Duel duel) {
    Scheduler scheduler = scheduler(duel);
    IdleCores idle = scheduler.idle;
    Core sleeper = scheduler.core(1);
    idle.publishParked(sleeper);
    Runnable searches =
        () -> {
          idle.startSearching(sleeper);
          idle.stopSearching(sleeper);
        };
    duel.side(() -> idle.callThief(scheduler.core(0), new Core[] {sleeper}))
        .side(
            () -> {
              if (idle.retractParked(sleeper)) {
                idle.stopSearching(sleeper);
              }
            })
        .side(searches)
        .side(searches)
        .side(() -> sleeps(idle, scheduler.core(0)))
        .fight();
    return checkIdle(duel, idle);
  }

  private static void sleeps(IdleCores idle, Core core) {
    idle.publishParked(core);
    idle.retractParked(core);
  }

  private static Duel checkIdle(Duel duel, IdleCores idle) {
    duel.check(idle.idle() == 0, "idle = " + idle.idle());
    duel.check(idle.searching() == 0, "searching = " + idle.searching());
    return duel;
  }

  private static Duel wakeUps(Duel duel) {
    Scheduler scheduler = scheduler(duel);
    IdleCores idle = scheduler.idle;
    Core sleeper = scheduler.core(1);
    idle.publishParked(sleeper);
    duel.side(() -> idle.wakeHome(sleeper))
        .side(() -> idle.wakeHome(sleeper))
        .side(() -> sleeps(idle, scheduler.core(0)))
        .fight();
    return checkIdle(duel, idle);
  }

  // ---- Forks

  private static Duel failures(Duel duel) {
    Failures failures = new Failures();
    Runnable side = () -> failures.note(SimHost.FAULT);
    duel.side(side).side(side).fight();
    duel.check(failures.size() == 2, failures.size() + " failures of 2");
    return duel;
  }

  private static Duel children(Duel duel) {
    Scheduler scheduler = scheduler(duel);
    Granter granter = new Granter(scheduler);
    Children children = new Children(granter, Permissions.none(), null, true);
    Counting handler = new Counting();
    children.add(Permissions.none(), handler, 1);
    children.add(Permissions.none(), handler, 2);
    Counting after = new Counting();
    children.complete(after, 3);
    children.begin();
    duel.side(children::ended).side(children::ended).fight();
    duel.check(entries(scheduler) == 3, "the continuation does not wait for its turn");
    return duel;
  }

  private static int entries(Scheduler scheduler) {
    return scheduler.core(0).queue.size() + scheduler.core(1).queue.size();
  }

  // ---- The end

  private static Duel rejections(Duel duel) {
    Scheduler scheduler = scheduler(duel);
    Runnable side = () -> scheduler.rejection.reject(new Counting(), new SimEvent(0));
    duel.side(side).side(side).fight();
    duel.check(scheduler.rejection.count() == 2, scheduler.rejection.count() + " counted");
    return duel;
  }

  private static Duel rejectionsOfOne(Duel duel) {
    Scheduler scheduler = scheduler(duel);
    Color color = scheduler.newColor(0, false);
    Counting handler = new Counting();
    for (int i = 0; i < 3; i++) {
      scheduler.post(color, event(handler));
    }
    scheduler.setPhase(Scheduler.CLOSED);
    Event late = event(handler);
    Runnable side = () -> scheduler.rejection.reject(color);
    duel.side(side).side(side).side(() -> scheduler.enter(color, late, null, false)).fight();
    scheduler.enter(color, event(handler), null, false);
    duel.check(handler.rejected == 5, handler.rejected + " of 5 have been rejected");
    return duel;
  }

  private static Duel shutdowns(Duel duel) {
    Shutdown shutdown = new Shutdown(scheduler(duel), null);
    List<ShutdownReport> reports = new ArrayList<>();
    Runnable side = () -> reports.add(shutdown.run(Duration.ZERO));
    duel.side(side).side(side).fight();
    duel.check(reports.size() == 2 && reports.get(0) == reports.get(1), "two reports");
    return duel;
  }

  // ---- Threads

  private static Duel wakeUp(Duel duel) {
    Poller poller = new SystemHost(Thread::new, cpu -> false, new int[1]).newPoller(0);
    return duel.side(() -> poll(poller)).side(poller::wakeup).side(poller::wakeup).fight();
  }

  private static void poll(Poller poller) {
    try {
      poller.poll(Long.MAX_VALUE);
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }
}
