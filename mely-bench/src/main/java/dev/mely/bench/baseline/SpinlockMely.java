package dev.mely.bench.baseline;

import dev.mely.StealPolicy;
import dev.mely.StealPolicy.Heuristic;
import org.jspecify.annotations.Nullable;

/**
 * Mely as its paper describes it (ICDCS 2010, section IV): per core one thread, one spinlock, a
 * core-queue of color-queues and a stealing-queue. It runs up to {@value #BATCH} events of a color
 * in a row. The heuristics of {@link StealPolicy} are those of section III, each on its own.
 *
 * <p>The lock of a core also guards its color-queues, since a color-queue enters the core-queue
 * with its first event and leaves it when empty.
 */
public final class SpinlockMely extends Baseline<ColorQueue, ColorQueue, SpinlockCore> {
  private static final int BATCH = 10;

  // As in the runtime: the initial estimate, and bounds, so that one preempted thief does not
  // switch stealing off.
  private static final long INITIAL_STEAL_NANOS = 1_000;
  private static final long MIN_STEAL_NANOS = 500;
  private static final long MAX_STEAL_NANOS = 20_000;

  private final StealPolicy policy;

  /** Cost of a steal, a moving average. Benign race between thieves: it is an estimate. */
  private final Hint stealNanos = new Hint();

  /**
   * Starts the workers.
   *
   * @param policy which heuristics are on
   * @param cores number of workers, 1 or more
   * @param pinned whether each has a CPU of its own
   */
  public SpinlockMely(StealPolicy policy, int cores, boolean pinned) {
    this(policy, cores, new Crew(cores, pinned));
  }

  /**
   * Starts the workers, or makes a runtime for the simulator.
   *
   * @param policy which heuristics are on
   * @param cores number of workers, 1 or more
   * @param platform threads, or {@link VirtualCores}
   */
  public SpinlockMely(StealPolicy policy, int cores, Platform platform) {
    super(policy.steals(), platform);
    this.policy = policy;
    stealNanos.set(INITIAL_STEAL_NANOS);
    for (int i = 0; i < cores; i++) {
      this.cores.add(new SpinlockCore(i, platform.newLock(i)));
    }
    start(policy.isOn(Heuristic.LOCALITY) ? platform.distances() : (a, b) -> 0);
  }

  // ---- Colors

  @Override
  public ColorQueue newColor(int core) {
    return new ColorQueue(cores.get(core), false);
  }

  @Override
  public ColorQueue newPinnedColor(int core) {
    return new ColorQueue(cores.get(core), true);
  }

  @Override
  public void moveTo(ColorQueue color, int core) {
    if (color.core == cores.get(core)) {
      return;
    }
    SpinlockCore old = lockCore(color);
    if (color.size == 0 && old.running != color) {
      color.core = cores.get(core);
    }
    old.lock.unlock();
  }

  // ---- Registration

  @Override
  public void register(ColorQueue color, Job job) {
    SpinlockCore core = lockCore(color);
    job.weight = weigh(job);
    color.append(job);
    if (color.size == 1) {
      core.enqueue(color);
    }
    core.load.set(++core.events);
    place(core, color);
    core.lock.unlock();
  }

  /** Locks a color's core, again if the color is stolen during the wait for the lock. */
  private static SpinlockCore lockCore(ColorQueue color) {
    while (true) {
      SpinlockCore core = color.core;
      core.lock.lock();
      if (color.core == core) {
        return core;
      }
      core.lock.unlock();
    }
  }

  private long weigh(Job job) {
    long cost = job.kind.costNanos();
    return policy.isOn(Heuristic.PENALTY) ? Math.max(1, cost / job.kind.penalty()) : cost;
  }

  // ---- Running

  /** An event of the same color until the batch ends. */
  @Override
  @Nullable Job next(SpinlockCore core) {
    ColorQueue color = core.running;
    if (color == null || color.size == 0 || core.batched == BATCH) {
      if (color != null && color.size > 0) {
        core.dequeue(color);
        core.enqueue(color);
      }
      color = core.head;
      core.running = color;
      core.batched = 0;
    }
    Job job = color == null ? null : color.take();
    if (color == null || job == null) {
      return null;
    }
    if (color.size == 0) {
      core.dequeue(color);
    }
    core.batched++;
    core.load.set(--core.events);
    place(core, color);
    return job;
  }

  @Override
  boolean runs(SpinlockCore core) {
    return core.running != null;
  }

  @Override
  boolean isIn(SpinlockCore core, ColorQueue stolen, @Nullable Job next) {
    return core.running == stolen;
  }

  // ---- Stealing

  private boolean usesStealingQueue() {
    return policy.isOn(Heuristic.TIME_LEFT) || policy.isOn(Heuristic.PENALTY);
  }

  /** Moves a color-queue into the interval of its time left, or out of the stealing-queue. */
  private void place(SpinlockCore core, ColorQueue color) {
    if (usesStealingQueue() && !color.pinned) {
      core.place(color, interval(color));
    }
  }

  /**
   * Three intervals: up to 4 times the cost of a steal, up to 16 times, and more (requirement B5).
   */
  private int interval(ColorQueue color) {
    long steal = stealNanos.get();
    boolean worthy =
        color.size > 0 && (!policy.isOn(Heuristic.TIME_LEFT) || color.timeLeft > steal);
    if (!worthy) {
      return ColorQueue.UNWORTHY;
    }
    long times = color.timeLeft / steal;
    return times < 4 ? 0 : times < 16 ? 1 : 2;
  }

  @Override
  boolean mayHavePrey(SpinlockCore victim) {
    return usesStealingQueue() ? victim.worthyCount.get() > 0 : victim.load.get() >= 2;
  }

  @Override
  @Nullable ColorQueue take(SpinlockCore thief, SpinlockCore victim) {
    ColorQueue color = usesStealingQueue() ? chooseWorthy(victim) : chooseFirst(victim);
    if (color != null) {
      migrate(color, victim, thief);
    }
    return color;
  }

  /** Base: the first color that is not running and has less than half of the core's events. */
  private static @Nullable ColorQueue chooseFirst(SpinlockCore victim) {
    if (victim.colors < 2) {
      return null;
    }
    for (ColorQueue c = victim.head; c != null; c = c.next) {
      if (c != victim.running && !c.pinned && 2 * c.size < victim.events) {
        return c;
      }
    }
    return null;
  }

  /** Time-left and penalty: a color that is not running, from the interval with most work. */
  private static @Nullable ColorQueue chooseWorthy(SpinlockCore victim) {
    for (int i = victim.worthy.length - 1; i >= 0; i--) {
      for (ColorQueue c = victim.worthy[i]; c != null; c = c.nextWorthy) {
        if (c != victim.running) {
          return c;
        }
      }
    }
    return null;
  }

  /** Takes constant time for any number of events. */
  private void migrate(ColorQueue color, SpinlockCore victim, SpinlockCore thief) {
    platform.migrating();
    victim.dequeue(color);
    victim.place(color, ColorQueue.UNWORTHY);
    victim.events -= color.size;
    victim.load.set(victim.events);
    color.core = thief;
    thief.enqueue(color);
    thief.events += color.size;
    thief.load.set(thief.events);
    place(thief, color);
  }

  @Override
  void stole(long nanos) {
    long sample = Math.min(nanos, MAX_STEAL_NANOS);
    long old = stealNanos.get();
    stealNanos.set(Math.max(MIN_STEAL_NANOS, old + (sample - old) / 8));
  }
}
