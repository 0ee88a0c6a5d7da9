package dev.mely;

import dev.mely.spi.Poller;
import dev.mely.stage.recorder.StageRecorder;
import java.util.Objects;
import java.util.concurrent.RejectedExecutionException;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * What producers do: from a registration to the core-queue of the color's core. What a core's
 * thread does is in {@link Worker}.
 */
final class Scheduler {
  /** Events are accepted. */
  static final int OPEN = 0;

  /** Only handlers may register; what is pending still runs. */
  static final int DRAINING = 1;

  /** Nothing is accepted, workers end, what is left is rejected. */
  static final int CLOSED = 2;

  static final String SHUT_DOWN = "the runtime has been shut down";

  final Host host;
  final Settings settings;
  final StealPolicy policy;

  /** {@link StealPolicy#stealing}, cached. */
  private final boolean stealing;

  /** What a steal costs, and so what is worthy. */
  final StealPrice price;

  final IdleCores idle;

  /** Decides whether to wake a thief. */
  final ThiefCalls calls;

  /** Rejects events that will never run. */
  final Rejection rejection = new Rejection(this);

  /** Colors that wait until the program resumes them. */
  final Pauses pauses = new Pauses(this::requeue);

  /** Bounds of what may be pending; null: there are none. */
  final @Nullable Overload overload;

  /** What the program's stages are; null: they are not recorded. */
  final @Nullable StageRecorder stages;

  private final Cores cores;

  /** The debug switch; null: it is off. */
  private final @Nullable RandomPlacement randomPlacement;

  /** Read with every registration, written twice in a lifetime. */
  private volatile int phase = OPEN;

  /**
   * Whether an {@code Error} has ever broken off a registration, so that a color may hold an event
   * and lie in no queue. {@link StackReserve} prevents that; if it happens nevertheless, the report
   * of the shutdown says that not all events have run.
   */
  private volatile boolean torn;

  Scheduler(Host host, Settings settings, Poller.Factory pollers) {
    this.host = host;
    this.settings = settings;
    this.policy = settings.policy;
    this.stealing = policy.steals();
    this.price =
        new StealPrice(policy.isOn(StealPolicy.Heuristic.TIME_LEFT), settings.stuckAfterNanos);
    this.randomPlacement = RandomPlacement.of(settings);
    this.overload = Overload.of(this, settings);
    int n = settings.cores;
    this.stages = settings.recordsStages ? new StageRecorder(n) : null;
    this.idle = new IdleCores(IntStream.range(0, n).map(settings.domain).toArray());
    this.cores = cores(pollers);
    this.calls = new ThiefCalls(settings, price, idle, cores);
  }

  private Cores cores(Poller.Factory pollers) {
    int n = settings.cores;
    Core[] all = new Core[n];
    for (int i = 0; i < n; i++) {
      int index = i;
      all[i] =
          new Core(
              i,
              pollers.newPoller(i),
              settings,
              rejection::turnAway,
              () -> idle.wakeHome(all[index]));
    }
    Core[][] neighbors = new Core[n][];
    for (int i = 0; i < n; i++) {
      int[] near = new VictimOrder(i, n, settings.distance).victims(core -> 0);
      neighbors[i] = IntStream.of(near).mapToObj(core -> all[core]).toArray(Core[]::new);
    }
    return new Cores(all, neighbors);
  }

  /** What the thieves of this runtime share. */
  StealContext stealContext() {
    return new StealContext(cores, settings, host, price, idle, calls);
  }

  int cores() {
    return cores.count();
  }

  /** The number is not checked. */
  Core core(int index) {
    return cores.core(index);
  }

  /** Makes the color of a number, or of a key: the number, or the hash, says at which core. */
  Color newColor(Object key) {
    long number = key instanceof Long given ? given : Integer.toUnsignedLong(key.hashCode());
    return newColor((int) Long.remainderUnsigned(number, cores.count()), false);
  }

  Color newColor(int core, boolean pinned) {
    return overload != null ? overload.newColor(host, core, pinned) : new Color(host, core, pinned);
  }

  /**
   * Checks that a color is one of this runtime's.
   *
   * @throws IllegalArgumentException if it is not
   */
  void check(Color color) {
    if (Objects.requireNonNull(color, "color").host != host) {
      throw new IllegalArgumentException(color + " belongs to another runtime");
    }
  }

  /** The core whose worker is calling, or null. Looks at each core: not for the hot path. */
  @Nullable Core currentCore() {
    for (int i = 0; i < cores.count(); i++) {
      if (host.isCurrent(i)) {
        return cores.core(i);
      }
    }
    return null;
  }

  int phase() {
    return phase;
  }

  void setPhase(int newPhase) {
    phase = newPhase;
    if (overload != null) {
      overload.wakeAll(); // producers that wait for room are refused
    }
  }

  // ---- Registration

  /** Makes what a user registers a node of a mailbox. */
  <E> Event node(Color color, Handler<? super E> handler, E event) {
    StackReserve.check();
    check(color);
    Event node = Envelope.wrap(event);
    node.attach(Objects.requireNonNull(handler, "handler"));
    return node;
  }

  /** Registers an event whose handler is set. Any thread. */
  void post(Color color, Event event) {
    accept(color, event, true);
    enter(color, event, null, false);
  }

  /** Like {@link #post}, without waiting; returns false if there is no room for the event. */
  boolean tryPost(Color color, Event event) {
    boolean accepted = accept(color, event, false);
    if (accepted) {
      enter(color, event, null, false);
    }
    return accepted;
  }

  /** Like {@link #post}; if the color was idle, it goes ahead of all that are not urgent. */
  void postUrgent(Color color, Event event) {
    accept(color, event, true);
    enter(color, event, null, true);
  }

  /**
   * Admission control. An event that is refused is not pending.
   *
   * @param insists wait for room, or throw, if there is none
   * @return false if there is no room
   */
  private boolean accept(Color color, Event event, boolean insists) {
    try {
      if (phase != OPEN) {
        checkAccepting();
      }
      if (overload != null && event.takesRoom()) {
        if (insists) {
          overload.admit(color, event);
        } else if (!overload.tryAdmit(color, event)) {
          event.detach();
          return false;
        }
      }
    } catch (Throwable refused) {
      event.detach();
      if (event instanceof Reply reply) {
        reply.detachOwn();
      }
      throw refused;
    }
    if (stages != null) {
      registered(event.handler());
    }
    return true;
  }

  /**
   * Records that the stage which the calling thread runs has registered an event; events of timers
   * that are due do not count. Never throws: by now the event has its room, its colors may wait for
   * it, or its parent has forked.
   */
  void registered(@Nullable Handler<?> handler) {
    if (stages != null && handler != null) {
      try {
        stages.registered(handler.recordedAs().stage());
      } catch (Throwable t) {
        settings.errors.report(null, handler, t);
      }
    }
  }

  /**
   * Admission control for an event over several colors.
   *
   * @param takesRoom in each of them, and in all
   * @throws RejectedExecutionException if it may not enter
   */
  void accept(Color[] colors, boolean takesRoom) {
    if (phase != OPEN) {
      checkAccepting();
    }
    if (overload != null && takesRoom) {
      overload.admit(colors);
    }
  }

  /**
   * Puts an accepted event into its color. Timers were accepted when they were set.
   *
   * @param at where the color shall wait if this wakes it up; null: at its own core
   */
  void enter(Color color, Event event, @Nullable Core at, boolean urgent) {
    try {
      long weight = weigh(event);
      if (color.enterIdle(event)) {
        activate(color, weight, at, urgent);
        rejectIfClosed(color);
        return;
      }
      if (color.isRunHere() && color.append(event)) {
        cores.core(color.core()).batch.appended(weight);
        return;
      }
      Object previous = color.swap(event);
      color.link(previous, event);
      if (previous == null) {
        activate(color, weight, at, urgent);
      } else {
        gained(color, weight);
      }
      rejectIfClosed(color);
    } catch (Throwable t) {
      torn = true; // a store needs no stack, so it cannot overflow it again
      throw t;
    }
  }

  /** As {@link #enter}, for a color that is not published yet. */
  void enterNew(Color color, Event event, @Nullable Core at) {
    try {
      color.begin(event);
      activate(color, weigh(event), at, false);
      rejectIfClosed(color);
    } catch (Throwable t) {
      torn = true;
      throw t;
    }
  }

  private void activate(Color color, long weight, @Nullable Core at, boolean urgent) {
    Core home = prepare(color, weight);
    if (at != null && !color.isPinned()) {
      home = at;
    }
    if (urgent) {
      placeUrgent(color, home);
    } else {
      place(color, home);
    }
    announce(color, home, weight);
  }

  /** The event's weight. Asked before it is published: its handler may run at once then. */
  long weigh(Event event) {
    Handler<?> handler = event.handler();
    return stealing && handler != null ? policy.weigh(handler) : 0;
  }

  /** The caller has activated an idle color. Returns the core at which it will wait. */
  Core prepare(Color color, long weight) {
    if (stealing) {
      color.setFirstWeight(weight);
    }
    return placement(color);
  }

  /** Once the runtime is closed no worker may look again: the producer rejects the events. */
  void rejectIfClosed(Color color) {
    if (phase == CLOSED) {
      rejection.reject(color);
    }
  }

  private void checkAccepting() {
    if (phase == CLOSED || currentCore() == null) {
      throw new RejectedExecutionException(SHUT_DOWN);
    }
  }

  /** The core whose queue a color enters when it becomes ready, or when its batch is over. */
  Core placement(Color color) {
    if (randomPlacement != null && !color.isPinned()) {
      return cores.core(randomPlacement.next(color));
    }
    return cores.core(color.core());
  }

  /** Whether the debug switch moves colors to random cores. */
  boolean migrates() {
    return randomPlacement != null;
  }

  /** From IDLE or RUNNING to QUEUED, visible to the core and, if worthy, to thieves. */
  void enqueue(Color color, Core core) {
    place(color, core);
    announce(color, core, stealing ? color.weight() : 0);
  }

  /**
   * The same by the core's own worker, which comes back to it soon: thieves that search may take
   * the color, but none is woken.
   *
   * @return whether that would have been worth it
   */
  boolean enqueueQuietly(Color color, Core core) {
    place(color, core);
    long timeLeft = stealing ? color.weight() : 0;
    if (!isForThieves(color, timeLeft)) {
      return false;
    }
    calls.enter(color, core, timeLeft);
    return calls.isEnough(core, timeLeft);
  }

  /** The caller has a color with pending events, and is not its core. */
  void requeue(Color color) {
    try {
      enqueue(color, placement(color));
      rejectIfClosed(color);
    } catch (Throwable t) {
      torn = true;
      throw t;
    }
  }

  /** Step (a) of {@link IdleCores}: into the core-queue. */
  void place(Color color, Core core) {
    boolean byCost = core.queue.isOrderedByCost();
    long expected = byCost ? expectedBatch(color) : 0; // before another thread can claim the color
    color.queue(core.index);
    if (byCost) {
      core.queue.offer(color, expected);
    } else if (host.isCurrent(core.index)) {
      core.queue.offerOwn(color);
    } else {
      core.queue.offer(color);
    }
  }

  /**
   * From RUNNING to QUEUED, in the line for an object of which the core's pool has none left.
   * Thieves may take the color if it is worthy.
   */
  void passOver(Color color, Core core) {
    color.queue(core.index);
    core.queue.putOff(color);
    announce(color, core, stealing ? color.weight() : 0);
  }

  /** Moves the colors in line at a stuck core to its core-queue, for thieves. Any thread. */
  void disband(Core stuck) {
    if (stuck.queue.hasLine()) {
      stuck.queue.drainLine(
          color -> {
            if (color.isQueuedAt(stuck.index)) {
              stuck.queue.offer(color);
            }
          });
    }
  }

  /** Step (a) for a color that an urgent event has woken up. */
  void placeUrgent(Color color, Core core) {
    color.queue(core.index);
    core.queue.offerUrgent(color);
  }

  /** Estimates the color's next batch, in nanoseconds. A hint for others than its owner. */
  private long expectedBatch(Color color) {
    Handler<?> next = color.nextHandler();
    if (next == null) {
      return 0;
    }
    int events = Math.max(1, Math.min(color.pendingCount() + 1, settings.batch));
    long expected = Math.min(events * next.costNanos(), settings.batchNanos + next.costNanos());
    if (!next.isBackground()) {
      return expected;
    }
    // All that is pending counts: a short signal often waits before a long message.
    long whole = Math.max(expected, color.weight());
    return TurnOrder.inBackground(next.isOftenLong() ? TurnOrder.LONG : whole);
  }

  /**
   * Steps (b) and (c): wakes the core if it sleeps, and a thief if that is worth it.
   *
   * @param timeLeft the weight of the color's pending events
   */
  void announce(Color color, Core core, long timeLeft) {
    if (idle.wakeHome(core)) {
      return; // a core that has just been woken needs no thief beside it
    }
    if (isForThieves(color, timeLeft)) {
      calls.offer(color, core, timeLeft);
    }
  }

  private boolean isForThieves(Color color, long timeLeft) {
    return stealing && price.isWorthy(timeLeft) && !color.isPinned();
  }

  /** One more event for a color that was not idle: it may have become worthy. */
  void gained(Color color, long weight) {
    if (!stealing) {
      return;
    }
    long before = color.addPending(1, weight);
    long timeLeft = before + weight;
    if (!policy.usesStealingQueue() || !price.isWorthy(timeLeft) || price.isWorthy(before)) {
      return;
    }
    // Exactly one of several producers sees the weight cross the threshold. If the color is running
    // now, its core sees it when it requeues the color (Dekker pattern: the add above and the load
    // below, against the requeue's store and load, all with full fences).
    Core core = cores.core(color.core());
    if (color.isQueuedAt(core.index) && !color.isPinned()) {
      calls.offer(color, core, timeLeft);
    }
  }

  /** A core's neighbors, in the order in which thieves are called to it. */
  Core[] neighbors(Core core) {
    return cores.neighbors(core);
  }

  // ---- The end

  /** A registration has been broken off. A plain store: there may be no stack left for a call. */
  void setTorn() {
    torn = true;
  }

  /** Whether an accepted event may have been lost. */
  boolean isTorn() {
    return torn;
  }

  /** Rejects everything in a color that the caller has claimed, and releases it. */
  void rejectAll(Color color) {
    rejection.rejectAll(color);
  }

  /** Rejects all that the core-queues hold. By each worker that leaves, and the closing thread. */
  void sweep() {
    for (int i = 0; i < cores.count(); i++) {
      Core core = cores.core(i);
      core.queue.drain(rejection::reject);
      core.queue.drainLine(rejection::reject);
    }
    pauses.sweep();
  }
}
