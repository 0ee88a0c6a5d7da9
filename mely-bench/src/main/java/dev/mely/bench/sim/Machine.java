package dev.mely.bench.sim;

import dev.mely.bench.baseline.VirtualCores;
import dev.mely.topology.Topology;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/**
 * A simulated machine: its caches and costs. Everything that costs time advances the {@link Clock}
 * of the current actor.
 */
final class Machine extends VirtualCores {
  /** {@link #current}: not a core of this machine, but a client, or the network. */
  static final int OUTSIDE = -1;

  /** Picoseconds in a nanosecond. */
  static final long NANO = 1_000;

  private static final int LINE_BYTES = 64;

  final Costs costs;
  private final Clock clock;
  private final int cores;

  /** By pair of cores; compact, at most half of an inner cache. */
  private final byte[] distances;

  private final int[] caches;
  private final long[] lineCosts;
  private final long innerBytes;
  private final long sharedBytes;

  /** Bytes filled so far into each core's inner cache, and each shared one. */
  private final long[] innerFills;

  private final long[] sharedFills;

  // The locks of the baselines' cores.
  private final Line[] lockLines;
  private final long[] lockFreeAt;

  private double stealNanos;
  private boolean mayRetry;
  private long retryAt;

  private int current = OUTSIDE;
  private final long[] wakeDelays;
  private Interruptions interruptions;
  private SplittableRandom chance = new SplittableRandom(1);

  // Counters.
  private final long[] linePicos;
  private long transfers;
  private long misses;
  private long locks;
  private long lockPicos;

  /**
   * @param topology its first CPUs are the cores
   * @param cores number of cores
   */
  Machine(Topology topology, int cores, Costs costs) {
    this.cores = cores;
    this.costs = costs;
    this.clock = new Clock(cores + 1);
    int[] cpus = topology.cpus();
    if (cores > cpus.length) {
      throw new IllegalArgumentException(
          "the machine has " + cpus.length + " CPUs, but " + cores + " are requested");
    }
    distances = new byte[cores * cores];
    int[] domains = new int[cores];
    for (int a = 0; a < cores; a++) {
      for (int b = 0; b < cores; b++) {
        distances[a * cores + b] = (byte) topology.distance(cpus[a], cpus[b]);
      }
      domains[a] = topology.cacheDomain(cpus[a]);
    }
    List<Integer> met = Arrays.stream(domains).distinct().boxed().toList();
    caches = Arrays.stream(domains).map(met::indexOf).toArray();
    lineCosts = costs.lines().stream().mapToLong(Machine::picos).toArray();
    innerBytes = (long) costs.innerBytes();
    sharedBytes = (long) costs.sharedBytes();
    innerFills = new long[cores];
    sharedFills = new long[met.size()];
    lockLines = new Line[cores];
    Arrays.setAll(lockLines, i -> new Line(this));
    lockFreeAt = new long[cores];
    linePicos = new long[cores];
    List<Double> delays = costs.wakeDelays();
    wakeDelays = Interruptions.picos(delays.isEmpty() ? List.of(costs.wakeDelay()) : delays);
    interruptions = new Interruptions(costs, cores, 1);
  }

  /** Sets the seed of the machine's own randomness: interruptions and delays. */
  Machine withChance(long seed) {
    interruptions = new Interruptions(costs, cores, seed);
    chance = new SplittableRandom(seed);
    return this;
  }

  /** Nanoseconds as picoseconds. */
  static long picos(double nanos) {
    return Math.round(nanos * NANO);
  }

  Clock clock() {
    return clock;
  }

  int cores() {
    return cores;
  }

  /** The shared cache of a core, numbered from 0. */
  int cache(int core) {
    return caches[core];
  }

  @Override
  public int distance(int a, int b) {
    return distances[a * cores + b];
  }

  // ---- The current actor

  int current() {
    return current;
  }

  void enter(int core) {
    current = core;
  }

  @Override
  public long nanos() {
    return clock.now() / NANO;
  }

  /** Advances the current actor's time. */
  void spend(double nanos) {
    clock.spend(picos(nanos));
  }

  /** Transfers a line from one core to another. */
  void transfer(int from, int to) {
    transfers++;
    clock.spend(lineCosts[distance(from, to)]);
  }

  /** Transfers several lines, one after the other. */
  void transfer(int from, int to, double lines) {
    transfers += Math.round(lines);
    clock.spend(Math.round(lines * lineCosts[distance(from, to)]));
  }

  /** The current core is about to start a handler; see {@link Interruptions}. */
  void beginWork() {
    interruptions.begin(current, clock);
  }

  /** The current core has worked until now. */
  void endWork() {
    interruptions.end(current, clock);
  }

  /** Draws the time that a sleeping core takes to wake up, in picoseconds. */
  long drawWakeDelay(int core) {
    interruptions.wake(core, clock.now());
    return wakeDelays[chance.nextInt(wakeDelays.length)];
  }

  /** Counts a core's wait for a line. */
  void waitedForLine(int core, long picos) {
    linePicos[core] += picos;
  }

  // ---- Data

  /** The current core accesses a whole block. */
  void touch(Block block) {
    int cache = caches[current];
    long lines = ((long) block.bytes + LINE_BYTES - 1) / LINE_BYTES;
    if (block.inner == current
        && innerFills[current] - block.innerFill + block.bytes <= innerBytes) {
      clock.spend(lines * picos(costs.inner()));
      return;
    }
    innerFills[current] += block.bytes;
    block.inner = current;
    block.innerFill = innerFills[current];
    if (block.shared == cache
        && sharedFills[cache] - block.sharedFill + block.bytes <= sharedBytes) {
      clock.spend(lines * picos(costs.shared()));
      return;
    }
    sharedFills[cache] += block.bytes;
    block.shared = cache;
    block.sharedFill = sharedFills[cache];
    misses += lines;
    clock.spend(lines * picos(costs.memory()));
  }

  // ---- Locks

  @Override
  public void lock(int core) {
    if (current == OUTSIDE) {
      return; // clients take no time on the machine
    }
    long start = clock.now();
    if (mayRetry && lockFreeAt[core] > start) {
      retryAt = lockFreeAt[core] + lineCosts[distance(lockLines[core].owner(), current)];
      lockPicos += retryAt - start;
      throw LockHeld.THROWN;
    }
    clock.await(lockFreeAt[core]);
    Line line = lockLines[core];
    int owner = line.owner();
    if (line.write()) {
      transfer(owner, current, costs.guarded());
    }
    spend(costs.lock());
    locks++;
    lockPicos += clock.now() - start;
  }

  /**
   * Whether a core that finds a lock held throws {@link LockHeld} and tries again. A free spinlock
   * goes to the first core to reach it, which is often its last owner, as it has the cache line. In
   * a registration, which cannot be restarted, the core waits instead.
   */
  void mayRetry(boolean may) {
    mayRetry = may;
  }

  /** When to try again, after {@link LockHeld}. */
  long retryAt() {
    return retryAt;
  }

  /** The lock is held; no state has been changed yet. */
  static final class LockHeld extends RuntimeException {
    private static final long serialVersionUID = 1;

    @SuppressWarnings("StaticAssignmentOfThrowable") // without a stack trace, and thrown often
    private static final LockHeld THROWN = new LockHeld();

    private LockHeld() {
      super("a lock is held", null, false, false);
    }
  }

  @Override
  public void unlock(int core) {
    if (current != OUTSIDE) {
      lockFreeAt[core] = clock.now();
    }
  }

  /** Sets the cost of a steal under the locks. */
  void stealsCost(double nanos) {
    stealNanos = nanos;
  }

  @Override
  public void migrating() {
    spend(stealNanos);
  }

  @Override
  public void scanned(int events) {
    spend(events * costs.scan());
  }

  // ---- Counters

  /** Number of transferred lines, without the events' data. */
  long transfers() {
    return transfers;
  }

  /** Time that a core has waited for lines, without the events' data and the locks' queues. */
  long linePicos(int core) {
    return linePicos[core];
  }

  /** Lines of the events' data that came from memory or another cache. */
  long misses() {
    return misses;
  }

  long locks() {
    return locks;
  }

  /** Time spent taking locks, including waits. */
  long lockPicos() {
    return lockPicos;
  }
}
