package dev.mely;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntBinaryOperator;
import java.util.function.IntUnaryOperator;

/**
 * The runtime without threads, for a simulator that keeps the time of each core: its real classes
 * behind the few calls by which they are driven, and looked at.
 *
 * <p>Not thread-safe. Nothing here is part of Mely; it is compiled into the tests of {@code
 * mely-core} and into {@code mely-bench} alone.
 */
public final class VirtualRuntime {
  /** {@link #state}: about to take a color from the core-queue. */
  public static final int PICK = WorkerState.PICK;

  /** {@link #state}: about to run an event. */
  public static final int RUN = WorkerState.RUN;

  /** {@link #state}: the batch is over. */
  public static final int FINISH = WorkerState.FINISH;

  /** {@link #state}: about to look for external events. */
  public static final int POLL = WorkerState.POLL;

  /** {@link #state}: about to look at a victim. */
  public static final int SEARCH = WorkerState.SEARCH;

  /** {@link #state}: about to say that it is parked. */
  public static final int PUBLISH = WorkerState.PUBLISH;

  /** {@link #state}: about to look again. */
  public static final int RECHECK = WorkerState.RECHECK;

  /** {@link #state}: about to wait. */
  public static final int PARK = WorkerState.PARK;

  /** {@link #state}: waits, or has been woken up. */
  public static final int WAKE = WorkerState.WAKE;

  /** Of so many victims that are as far, a search compares the loads. */
  public static final int LOOKS = VictimOrder.MAX_LOOKS;

  // What a search looks at is known to the thief alone, which no other part of the runtime asks.
  private static final VarHandle IDLER = field(Worker.class, "idler", Idler.class);
  private static final VarHandle SPINS = field(Idler.class, "spins", int.class);
  private static final VarHandle STEAL_SEARCH = field(Idler.class, "search", StealSearch.class);
  private static final VarHandle STEAL = field(Idler.class, "steal", Steal.class);
  private static final VarHandle BEGUN = field(Steal.class, "begun", long.class);
  private static final VarHandle VICTIMS = field(StealSearch.class, "victims", int[].class);
  private static final VarHandle NEXT = field(StealSearch.class, "next", int.class);
  private static final VarHandle REFUSED = field(StealSearch.class, "refused", int.class);
  private static final VarHandle MODE = field(StealSearch.class, "mode", Steal.Mode.class);
  private static final VarHandle BESIDE = field(StealSearch.class, "looksBeside", int.class);
  private static final VarHandle CANDIDATE = field(StealSearch.class, "candidate", Color.class);

  private final VirtualHost host;
  private final Scheduler scheduler;
  private final List<VirtualWorker> workers = new ArrayList<>();
  private final int maxSpins;

  // By core.
  private final Idler[] idlers;
  private final StealSearch[] stealSearches;

  /** The world outside of the runtime, which keeps the time of each thread. */
  public interface World {
    /** The time of the thread that acts, in nanoseconds. */
    long nanos();

    /** The thread that acts waits. */
    void pause(long nanos);

    /** The thread that acts has woken up a worker. */
    void woken(int core);
  }

  /**
   * What is built.
   *
   * @param cores number of workers
   * @param policy which heuristics are on
   * @param distance between two cores, for {@link StealPolicy.Heuristic#LOCALITY}
   * @param domain which cache a core shares, numbered from 0
   * @param cheapestFirst whether a core runs cheap colors first
   * @param seed of what is random
   */
  public record Plan(
      int cores,
      StealPolicy policy,
      IntBinaryOperator distance,
      IntUnaryOperator domain,
      boolean cheapestFirst,
      long seed) {}

  /** Builds a runtime. Its workers have not made any step. */
  public VirtualRuntime(Plan plan, World world) {
    Settings settings = new Settings();
    settings.cores = plan.cores();
    settings.policy = plan.policy();
    settings.cheapestFirst = plan.cheapestFirst();
    settings.domain = plan.domain();
    settings.reportBlockedNanos = 0;
    settings.seed = plan.seed();
    // Each idle core would look again and again, and no look could be left out.
    settings.choosesAgain = false;
    if (plan.policy().isOn(StealPolicy.Heuristic.LOCALITY)) {
      settings.distance = plan.distance();
    }
    settings.errors =
        new Errors(
            (color, event, error) -> {
              throw new AssertionError("in " + event, error);
            });
    host = new SimulatedHost(plan.seed(), plan.cores(), world);
    scheduler = new Scheduler(host, settings, host::newPoller);
    Timers timers = new Timers(scheduler);
    maxSpins = settings.spins;
    idlers = new Idler[plan.cores()];
    stealSearches = new StealSearch[plan.cores()];
    for (int i = 0; i < plan.cores(); i++) {
      VirtualWorker worker = new VirtualWorker(host, scheduler, timers, scheduler.core(i));
      workers.add(worker);
      idlers[i] = (Idler) IDLER.get(worker.worker);
      stealSearches[i] = (StealSearch) STEAL_SEARCH.get(idlers[i]);
    }
  }

  private static VarHandle field(Class<?> owner, String name, Class<?> type) {
    try {
      return MethodHandles.privateLookupIn(owner, MethodHandles.lookup())
          .findVarHandle(owner, name, type);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /** Its time is the simulator's. */
  private static final class SimulatedHost extends VirtualHost {
    private final World world;

    SimulatedHost(long seed, int cores, World world) {
      super(seed, cores);
      this.world = world;
    }

    @Override
    public long nanos() {
      return world.nanos();
    }

    @Override
    public void pause(long nanos) {
      world.pause(nanos);
    }

    @Override
    void woken(int core) {
      world.woken(core);
    }
  }

  // ---- Events

  /** Makes a color that begins at that core. */
  public Color newColor(int core, boolean pinned) {
    return scheduler.newColor(core, pinned);
  }

  /**
   * Registers an event.
   *
   * @param core whose worker does, from within the handler that it has just run; -1: somebody else
   */
  public void register(int core, Color color, Handler<?> handler, Event event) {
    event.attach(handler);
    host.enter(core);
    scheduler.post(color, event);
    host.leave();
  }

  // ---- Steps

  /** The state that the next step of a core begins in. */
  public int state(int core) {
    return workers.get(core).state();
  }

  /** Makes the next step of a core. */
  public void step(int core) {
    workers.get(core).step();
  }

  /** Whether a core waits, and has not been woken up. */
  public boolean isAsleep(int core) {
    return !workers.get(core).isReady();
  }

  /** When a core that waits wakes up by itself, in nanoseconds; {@link Long#MAX_VALUE}: never. */
  public long alarm(int core) {
    return workers.get(core).alarm();
  }

  /** Whose queues the next step of a core that searches looks at; -1: nobody's but its own. */
  public int victim(int core) {
    int[] victims = victims(core);
    int next = place(core);
    return next < victims.length && looksAround(spins(core)) ? victims[next] : -1;
  }

  /** Whom a core that searches looks at, one after the other. To be read, not to be changed. */
  public int[] victims(int core) {
    return (int[]) VICTIMS.get(stealSearches[core]);
  }

  /** The place among its victims of the one that a core looks at next; behind the last: of none. */
  public int place(int core) {
    return (int) NEXT.get(stealSearches[core]);
  }

  /**
   * Whether a core that searches goes round its victims until one of them has something to steal,
   * or it has gone round often enough: it holds nothing that it has to decide about, and knows of
   * no core that is stuck.
   */
  public boolean goesRound(int core) {
    return !relieves(core)
        && CANDIDATE.get(stealSearches[core]) == null
        && !idlers[core].seesStuck();
  }

  /** Whether a core that searches has colors of its own, and visits one that has far more. */
  public boolean relieves(int core) {
    return MODE.get(stealSearches[core]) == Steal.Mode.RELIEF;
  }

  /** How often a core that has colors of its own has looked at another one. */
  public int looksBeside(int core) {
    return (int) BESIDE.get(stealSearches[core]);
  }

  /** Which one that was, the last time. */
  public int beside(int core) {
    Core[] neighbors = scheduler.neighbors(scheduler.core(core));
    return neighbors[Integer.remainderUnsigned(looksBeside(core) - 1, neighbors.length)].index;
  }

  /** Whether it has to look at the core-queue of that one as well. */
  public boolean looksCloser(int core, int beside) {
    int enough = scheduler.core(core).queue.size() + StealSearch.RELIEF;
    return scheduler.core(beside).stealing.large() >= enough;
  }

  /** How often a core that searches has been round in vain. */
  public int spins(int core) {
    return (int) SPINS.get(idlers[core]);
  }

  /** How often any core goes round in vain, and once more, before it parks. */
  public int maxSpins() {
    return maxSpins;
  }

  /** Whether a core that has been round so often looks at its victims; else at its own queue. */
  public boolean looksAround(int spins) {
    return Idler.looksAround(spins);
  }

  /**
   * A core that {@link #goesRound} has done so, as by calls of {@link #step} in which it found
   * nothing.
   *
   * @param place where it has come to
   * @param rounds how often it has begun anew
   * @param searches in how many of these it looked, or looks, at victims
   * @param nanos when it began the last of these rounds
   */
  public void wentRound(int core, int place, int rounds, int searches, long nanos) {
    if (rounds > 0 || place != place(core)) {
      REFUSED.set(stealSearches[core], 0); // as whenever it comes to the next
    }
    NEXT.set(stealSearches[core], place);
    if (rounds > 0) {
      SPINS.set(idlers[core], spins(core) + rounds);
      BEGUN.set((Steal) STEAL.get(idlers[core]), nanos);
      scheduler.core(core).counters.stealsTried += searches;
    }
  }

  /** The core that the color which a core holds is at home at; -1: it holds none. */
  public int heldHome(int core) {
    Color held = workers.get(core).held();
    return held == null ? -1 : held.core();
  }

  // ---- What there is to see

  /** Entries of a core-queue. */
  public int waiting(int core) {
    return scheduler.core(core).queue.size();
  }

  /** Entries of a stealing-queue. */
  public int worthy(int core) {
    return scheduler.core(core).stealing.size();
  }

  /** How often a core has looked for something to steal. */
  public long stealsTried(int core) {
    return scheduler.core(core).counters.stealsTried;
  }

  /** How often a core has stolen a color. */
  public long stealsWon(int core) {
    return scheduler.core(core).counters.stealsWon;
  }

  /** Time that a core's steals took, in nanoseconds. */
  public long stealNanos(int core) {
    return scheduler.core(core).counters.stealNanos;
  }

  /** Time that what a core has stolen took there, in nanoseconds. */
  public long stolenNanos(int core) {
    return scheduler.core(core).counters.stolenNanos;
  }

  /** How often a core was called to steal. */
  public long wakeups(int core) {
    return scheduler.core(core).counters.wakeups;
  }

  /** How often a core has waited. */
  public long parks(int core) {
    return scheduler.core(core).counters.parks;
  }
}
