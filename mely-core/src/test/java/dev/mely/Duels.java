package dev.mely;

import dev.mely.report.ShutdownReport;
import dev.mely.spi.Poller;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
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
          Map.entry("claims", Duels::claims),
          Map.entry("claims at the end", Duels::claimsAtEnd),
          Map.entry("a release and an event", Duels::release),
          Map.entry("weights are added", Duels::weights),
          Map.entry("a weight is settled", Duels::settled),
          Map.entry("producers of one color", Duels::producers),
          Map.entry("readers and a writer", Duels::readers),
          Map.entry("a timer is fired and cancelled", Duels::timer),
          Map.entry("a timer is fired and dropped", Duels::droppedTimer),
          Map.entry("a periodic timer is cancelled", Duels::periodic),
          Map.entry("timers are added and expire", Duels::timers),
          Map.entry("timers are added and swept", Duels::sweptTimers),
          Map.entry("a timer is added at the end", Duels::lateTimer),
          Map.entry("children fail", Duels::failures),
          Map.entry("children end", Duels::children),
          Map.entry("colors are paused and resumed", Duels::pauses),
          Map.entry("a color is resumed as it parks", Duels::resume),
          Map.entry("rejections", Duels::rejections),
          Map.entry("rejections of one color", Duels::rejectionsOfOne),
          Map.entry("lookups of one key", Duels::lookups),
          Map.entry("a color is moved and woken", Duels::move),
          Map.entry("an idle color is taken and woken", Duels::holdIdle),
          Map.entry("producers without room", duel -> room(duel, 1)),
          Map.entry("producers with some room", duel -> room(duel, 2)),
          Map.entry("producers of one place each", Duels::places),
          Map.entry("a notice looks and leaves", Duels::notice),
          Map.entry("a notice is woken twice", Duels::wokenTwice),
          Map.entry("a worker waits and is woken", Duels::wakeUp),
          Map.entry("shutdowns", Duels::shutdowns));

  /** So many steps of each worker, and it sleeps. */
  private static final int ENOUGH = 200;

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

  private static Scheduler scheduler(Duel duel) {
    return scheduler(duel, settings -> settings);
  }

  private static Scheduler scheduler(Duel duel, UnaryOperator<SettingsBuilder> change) {
    SettingsBuilder settings = new SettingsBuilder();
    settings.cores = 2;
    settings.errors =
        (color, event, error) -> {
          throw new AssertionError(error);
        };
    return new Scheduler(duel.host, change.apply(settings).build(), duel.host::newPoller);
  }

  /** Counts what it is given, and what is rejected. */
  private static class Counting extends Handler<Object> {
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

  /** Of events that exclude each other. */
  private static final class Alone extends Counting {
    private final Duel duel;
    private boolean inside;

    Alone(Duel duel) {
      this.duel = duel;
    }

    @Override
    public void handle(Object event) {
      duel.check(!inside, "two events overlap");
      inside = true;
      Strand.between();
      inside = false;
      super.handle(event);
    }
  }

  private static Event event(Handler<?> handler) {
    Event event = new SimEvent(0);
    event.attach(handler);
    return event;
  }

  private static Runnable counting(int[] count, BooleanSupplier action) {
    return () -> {
      if (action.getAsBoolean()) {
        count[0]++;
      }
    };
  }

  private static List<VirtualWorker> workers(Duel duel, Scheduler scheduler) {
    Timers timers = new Timers(scheduler);
    List<VirtualWorker> workers = new ArrayList<>();
    for (int i = 0; i < scheduler.cores(); i++) {
      workers.add(new VirtualWorker(duel.host, scheduler, timers, scheduler.core(i)));
    }
    return workers;
  }

  /** All workers make some steps, one after the other. */
  private static void run(List<VirtualWorker> workers, int steps) {
    for (int i = 0; i < steps; i++) {
      for (VirtualWorker worker : workers) {
        if (worker.isReady()) {
          worker.step();
        }
      }
    }
  }

  /** Runs what is pending, and then one more event of a color. */
  private static void checkGoesOn(
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
  private static Duel alone(Duel duel, BooleanSupplier one, BooleanSupplier other) {
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

  // ---- Timers

  private static TimerEvent timer(Duel duel, long deadline, long period) {
    Color color = scheduler(duel).newColor(0, false);
    return new TimerEvent(color, new Counting(), 1, deadline, period);
  }

  private static Duel timer(Duel duel) {
    TimerEvent timer = timer(duel, 0, 0);
    int[] ended = new int[1];
    Runnable cancel = counting(ended, timer::cancel);
    duel.side(counting(ended, () -> timer.fire() && timer.payload() != null))
        .side(cancel)
        .side(cancel)
        .fight();
    duel.check(ended[0] == 1, "it has run or been cancelled " + ended[0] + " times");
    return duel;
  }

  private static Duel droppedTimer(Duel duel) {
    TimerEvent timer = timer(duel, 0, 0);
    int[] ended = new int[1];
    duel.side(counting(ended, timer::fire)).side(counting(ended, timer::drop)).fight();
    duel.check(ended[0] == 1, "it has been fired or dropped " + ended[0] + " times");
    return duel;
  }

  private static Duel periodic(Duel duel) {
    TimerEvent timer = timer(duel, 0, 10);
    boolean[] cancelled = new boolean[1];
    duel.side(
            () -> {
              if (timer.fire() && timer.payload() != null) {
                timer.rearm(5);
              }
            })
        .side(() -> cancelled[0] = timer.cancel())
        .fight();
    duel.check(cancelled[0] && timer.isDone(), "it goes on");
    return duel;
  }

  private static Duel timers(Duel duel) {
    TimerQueue queue = new TimerQueue();
    TimerEvent[] all = new TimerEvent[4];
    Arrays.setAll(all, i -> timer(duel, i, 0));
    queue.add(all[3]);
    List<TimerEvent> expired = new ArrayList<>();
    duel.side(() -> queue.add(all[0]))
        .side(() -> queue.add(all[1]))
        .side(
            () -> {
              queue.add(all[2]);
              expire(queue, 2, expired);
            })
        .fight();
    return checkAll(duel, queue, List.of(all), expired);
  }

  private static void expire(TimerQueue queue, long now, List<TimerEvent> expired) {
    TimerEvent timer = queue.nextDeadline() > now ? null : queue.expire(now);
    while (timer != null) {
      expired.add(timer);
      timer = timer.unchain();
    }
  }

  private static Duel checkAll(
      Duel duel, TimerQueue queue, List<TimerEvent> all, List<TimerEvent> expired) {
    for (long now = 0; now <= 3; now++) {
      expire(queue, now, expired);
      for (TimerEvent timer : all) {
        duel.check(timer.deadline() > now || expired.contains(timer), "a timer oversleeps");
      }
    }
    duel.check(expired.size() == all.size(), expired.size() + " have expired");
    return duel;
  }

  private static Duel sweptTimers(Duel duel) {
    TimerQueue queue = new TimerQueue();
    List<TimerEvent> dead = new ArrayList<>();
    for (int i = 0; i < 65; i++) {
      TimerEvent timer = timer(duel, 3, 0);
      queue.add(timer);
      dead.add(timer);
    }
    dead.subList(1, 65).forEach(TimerEvent::cancel);
    TimerEvent added = timer(duel, 1, 0);
    duel.side(() -> queue.add(added)).side(dead.get(0)::cancel).fight();
    return checkAll(duel, queue, List.of(added), new ArrayList<>());
  }

  private static Duel lateTimer(Duel duel) {
    TimerQueue queue = new TimerQueue();
    TimerEvent late = timer(duel, 0, 0);
    duel.side(() -> queue.add(late)).side(queue::close).fight();
    duel.check(late.isDone(), "a timer that is never fired waits");
    return duel;
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

  // ---- Pauses

  private static Duel pauses(Duel duel) {
    Scheduler scheduler = scheduler(duel);
    Pauses pauses = new Pauses(color -> {});
    Color[] colors = new Color[3];
    Arrays.setAll(colors, i -> scheduler.newColor(0, false));
    pauses.pause(colors[2]);
    duel.side(() -> pauses.pause(colors[0]))
        .side(() -> pauses.pause(colors[1]))
        .side(() -> pauses.resume(colors[2]))
        .fight();
    duel.check(pauses.isPaused(colors[0]) && pauses.isPaused(colors[1]), "a pause is lost");
    duel.check(pauses.count() == 2, pauses.count() + " colors are paused");
    return duel;
  }

  private static Duel resume(Duel duel) {
    Color color = running(scheduler(duel));
    int[] queued = new int[1];
    Pauses pauses = new Pauses(c -> queued[0]++);
    pauses.pause(color);
    duel.side(() -> pauses.park(color)).side(() -> pauses.resume(color)).fight();
    duel.check(queued[0] == 1, "it has been queued " + queued[0] + " times");
    return duel;
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

  // ---- Colors

  private static Duel lookups(Duel duel) {
    Scheduler scheduler = scheduler(duel);
    ColorTable table = new ColorTable();
    List<Color> found = new ArrayList<>();
    Runnable side = () -> found.add(table.get("key", scheduler::newColor));
    duel.side(side).side(side).fight();
    duel.check(found.size() == 2 && found.get(0) == found.get(1), "two colors of one key");
    return duel;
  }

  private static Color queued(Scheduler scheduler) {
    Color color = scheduler.newColor(0, false);
    color.enterIdle(event(new Counting()));
    color.queue(0);
    return color;
  }

  private static Color running(Scheduler scheduler) {
    Color color = queued(scheduler);
    color.claim(0, 0);
    return color;
  }

  private static Duel claims(Duel duel) {
    Color color = queued(scheduler(duel));
    return alone(duel, () -> color.claim(0, 0), () -> color.claim(0, 1));
  }

  private static Duel claimsAtEnd(Duel duel) {
    Color color = queued(scheduler(duel));
    return alone(duel, color::claimToReject, () -> color.claim(0, 0));
  }

  private static Duel release(Duel duel) {
    Scheduler scheduler = scheduler(duel);
    Counting handler = new Counting();
    Color color = running(scheduler);
    Objects.requireNonNull(color.take()).detach();
    Event event = event(handler);
    duel.side(
            () -> {
              if (!color.release(0)) {
                scheduler.requeue(color);
              }
            })
        .side(() -> scheduler.post(color, event))
        .fight();
    checkGoesOn(duel, scheduler, workers(duel, scheduler), color, handler);
    duel.check(handler.ran == 2, handler.ran + " of 2 events have run");
    return duel;
  }

  private static Duel weights(Duel duel) {
    Color color = scheduler(duel).newColor(0, false);
    Runnable side = () -> color.addPending(1, 10);
    duel.side(side).side(side).fight();
    return checkWeight(duel, color, 2, 20);
  }

  private static Duel settled(Duel duel) {
    Color color = scheduler(duel).newColor(0, false);
    color.addPending(0, -7);
    duel.side(() -> color.addPending(1, 10)).side(color::settleWeight).fight();
    color.addPending(-1, -color.weight()); // what is left of a weight is settled another time
    return checkWeight(duel, color, 0, 0);
  }

  private static Duel checkWeight(Duel duel, Color color, int events, long weight) {
    boolean right = color.pendingCount() == events && color.weight() == weight;
    duel.check(right, color.pendingCount() + " events weigh " + color.weight());
    return duel;
  }

  private static Duel producers(Duel duel) {
    Scheduler scheduler = scheduler(duel);
    Color color = scheduler.newColor(0, false);
    Counting handler = new Alone(duel);
    List<VirtualWorker> workers = workers(duel, scheduler);
    for (int i = 0; i < 3; i++) {
      Event event = event(handler);
      duel.side(() -> scheduler.post(color, event));
    }
    duel.side(() -> run(workers.subList(0, 1), 10)).fight();
    checkGoesOn(duel, scheduler, workers, color, handler);
    duel.check(handler.ran == 4, handler.ran + " of 4 events have run");
    return duel;
  }

  /** Four events that read one color, or two, and one that writes both, on two workers. */
  private static Duel readers(Duel duel) {
    Scheduler scheduler = scheduler(duel);
    Granter granter = new Granter(scheduler);
    Color one = scheduler.newColor(0, false);
    Color other = scheduler.newColor(1, false);
    Permissions writes = Permissions.none().andWrite(one).andWrite(other);
    Permissions reads = Permissions.none().andRead(one).andRead(other);
    Counting handler = new Counting();
    List<VirtualWorker> workers = workers(duel, scheduler);
    for (Permissions asked : List.of(reads, writes, Permissions.none().andRead(one))) {
      duel.side(() -> granter.register(asked, handler, 1));
    }
    granter.register(reads, handler, 1);
    granter.register(reads, handler, 1);
    duel.side(() -> run(workers.subList(0, 1), 20)).side(() -> run(workers.subList(1, 2), 20));
    duel.fight();
    checkGoesOn(duel, scheduler, workers, one, handler);
    checkGoesOn(duel, scheduler, workers, other, handler);
    duel.check(handler.ran == 7, handler.ran + " of 7 events have run");
    return duel;
  }

  private static Duel move(Duel duel) {
    Scheduler scheduler = scheduler(duel);
    Color color = scheduler.newColor(0, false);
    Event event = event(new Counting());
    duel.side(() -> color.moveTo(1)).side(() -> scheduler.post(color, event)).fight();
    int core = color.core();
    duel.check(color.isQueuedAt(core) && scheduler.core(core).queue.size() == 1, "it is elsewhere");
    return duel;
  }

  private static Duel holdIdle(Duel duel) {
    Color color = scheduler(duel).newColor(0, false);
    Event event = event(new Counting());
    return alone(duel, color::holdIdle, () -> color.enterIdle(event));
  }

  // ---- Room

  private static Scheduler bounded(Duel duel, int bound) {
    return scheduler(
        duel,
        settings -> {
          settings.maxPendingPerColor = bound;
          settings.overflow = MelyBuilder.Overflow.BLOCK;
          return settings;
        });
  }

  private static Duel room(Duel duel, int bound) {
    Scheduler scheduler = bounded(duel, bound);
    Overload overload = Objects.requireNonNull(scheduler.overload);
    Color color = scheduler.newColor(0, false);
    for (int i = 0; i < 3; i++) {
      Event event = event(new Counting());
      duel.side(
          () -> {
            overload.admit(color, event);
            overload.left(color, event);
          });
    }
    duel.fight();
    duel.check(overload.waiting() == 0, overload.waiting() + " wait");
    duel.check(((BoundedColor) color).load() == 0, "room is left behind");
    return duel;
  }

  /** Of three producers one leaves as another comes. */
  private static Duel places(Duel duel) {
    Overload overload = Objects.requireNonNull(bounded(duel, 1).overload);
    List<WaitingProducer> all = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      all.add(new WaitingProducer(new Room[0], false, new Wakes()));
    }
    overload.begin(all.get(0));
    duel.side(() -> overload.leave(all.get(0)))
        .side(() -> overload.begin(all.get(1)))
        .side(() -> overload.begin(all.get(2)))
        .fight();
    duel.check(overload.waiting() == 2, overload.waiting() + " of 2 wait");
    return duel;
  }

  /** The first in line looks and leaves at the same time: the next one must not wait for ever. */
  private static Duel notice(Duel duel) {
    Scheduler scheduler = bounded(duel, 1);
    Overload overload = Objects.requireNonNull(scheduler.overload);
    Color color = scheduler.newColor(0, false);
    Event first = event(new Counting());
    Event other = event(new Counting());
    Wakes woken = new Wakes();
    WaitingProducer one = new WaitingProducer(overload.rooms(color), false, new Wakes());
    WaitingProducer next = new WaitingProducer(overload.rooms(color), false, woken);
    overload.admit(color, first);
    for (WaitingProducer each : List.of(one, next)) {
      overload.begin(each);
      overload.findsRoom(each);
    }
    overload.left(color, first);
    duel.side(() -> overload.findsRoom(one))
        .side(() -> overload.leave(one))
        .side(
            () -> {
              if (overload.tryAdmit(color, other)) {
                overload.left(color, other);
              }
            })
        .fight();
    duel.check(woken.count > 0, "the next one is not woken");
    return duel;
  }

  private static final class Wakes implements Host.Parker {
    int count;

    @Override
    public void park() {}

    @Override
    public void unpark() {
      count++;
    }
  }

  private static Duel wokenTwice(Duel duel) {
    Scheduler scheduler = bounded(duel, 1);
    Overload overload = Objects.requireNonNull(scheduler.overload);
    Color color = scheduler.newColor(0, false);
    Event event = event(new Counting());
    overload.admit(color, event);
    RoomNotice notice = new RoomNotice(scheduler, overload, color);
    boolean[] told = new boolean[1];
    notice.begin().thenRun(() -> told[0] = true);
    duel.side(notice::unpark).side(notice::unpark).fight();
    overload.left(color, event);
    run(workers(duel, scheduler), ENOUGH);
    duel.check(told[0], "the future is not completed");
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
