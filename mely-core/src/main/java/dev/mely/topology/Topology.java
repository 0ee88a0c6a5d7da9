package dev.mely.topology;

import java.nio.file.Path;
import java.util.BitSet;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The machine's cache map: how far apart any two CPUs are. It is what orders a thief's victims in
 * locality-aware stealing.
 *
 * <p>Source: Mely, ICDCS'10, section III-A (the core set is ordered by distance from the stealing
 * core; reaching another core's data through a shared L2 takes 15 cycles, through memory 110) and
 * section IV-B a (a cache map built at start-up from {@code /sys}).
 *
 * <p>A topology is a snapshot of the CPUs that were online when it was read. It is immutable and
 * may be used by any thread. No method throws for a CPU that it does not know.
 */
public final class Topology {
  /** Distance of a CPU from itself: {@value}. */
  public static final int SAME_CPU = 0;

  /** Distance of two CPUs that are SMT siblings or share an L1 data cache: {@value}. */
  public static final int SHARES_L1 = 1;

  /** Distance of two CPUs that share an L2 cache and nothing nearer: {@value}. */
  public static final int SHARES_L2 = 2;

  /** Distance of two CPUs that share an L3 cache and nothing nearer: {@value}. */
  public static final int SHARES_L3 = 3;

  /** Distance of two CPUs of one package, or one NUMA node, without a shared cache: {@value}. */
  public static final int SAME_PACKAGE = 4;

  /** Distance of two CPUs that have nothing in common, or of which one is unknown: {@value}. */
  public static final int OTHER_PACKAGE = 5;

  private static final Path SYS = Path.of("/sys");

  private final NavigableMap<Integer, Cpu> cpus;
  private final List<String> notes;

  /**
   * Whether the package numbers tell CPUs apart and together; they do not where there are none, nor
   * on a virtual machine that makes every CPU a package.
   */
  private final boolean packagesTell;

  Topology(Collection<Cpu> cpus, List<String> notes) {
    NavigableMap<Integer, Cpu> byNumber = new TreeMap<>();
    Set<Integer> packages = new HashSet<>();
    boolean packageOfMany = false;
    for (Cpu cpu : cpus) {
      byNumber.put(cpu.number(), cpu);
      packageOfMany |= cpu.packageId() >= 0 && !packages.add(cpu.packageId());
    }
    this.cpus = Collections.unmodifiableNavigableMap(byNumber);
    this.notes = List.copyOf(notes);
    this.packagesTell = packageOfMany;
  }

  /**
   * Reads the machine below a root.
   *
   * <p>Reads {@code devices/system/cpu/online}, of each online CPU {@code cache/index*} and {@code
   * topology}, and {@code devices/system/node/nodeN/cpulist}. Missing or senseless files never make
   * this fail: the part that they describe is treated as unknown, or the whole machine as
   * {@linkplain #flat flat}, and {@link #notes} says so.
   *
   * @param sysRoot what stands for {@code /sys}; need not exist
   * @return the machine, of at least one CPU
   */
  public static Topology read(Path sysRoot) {
    return new TopologyReader(sysRoot, AllowedCpus.runtimeCpus()).read();
  }

  /**
   * Reads the running machine. Each call reads it anew; where there is no {@code /sys} the result
   * is flat.
   *
   * @return the machine, of at least one CPU
   */
  public static Topology system() {
    return read(SYS);
  }

  /**
   * Makes a machine of which nothing is known but the number of its CPUs: any two are {@link
   * #SAME_PACKAGE} apart, so that distance prefers none.
   *
   * @param cpus number of CPUs, 1 or more; they are numbered from 0
   * @return the flat machine
   * @throws IllegalArgumentException if there is no CPU
   */
  public static Topology flat(int cpus) {
    if (cpus < 1) {
      throw new IllegalArgumentException("cpus: " + cpus + " (expected: 1 or more)");
    }
    BitSet numbers = new BitSet();
    numbers.set(0, cpus);
    return flat(numbers, List.of());
  }

  static Topology flat(BitSet cpus, List<String> notes) {
    return new Topology(
        cpus.stream().mapToObj(cpu -> new Cpu(cpu, -1, -1, cpu, null, null, null)).toList(), notes);
  }

  /**
   * Returns how far apart two CPUs are, as the number of the nearest place where they meet.
   *
   * <ol start="0">
   *   <li>{@link #SAME_CPU}.
   *   <li>{@link #SHARES_L1}: SMT siblings, or a shared L1 data cache. A shared instruction cache
   *       does not count: the data of events does not travel through it.
   *   <li>{@link #SHARES_L2}: a shared L2 cache.
   *   <li>{@link #SHARES_L3}: a shared L3 cache. Caches beyond L3 are ignored.
   *   <li>{@link #SAME_PACKAGE}: the same physical package without a shared cache. Where package
   *       numbers tell nothing, as there are none or every CPU is its own package, the NUMA node
   *       takes their place. Where neither is known, all CPUs count as one package.
   *   <li>{@link #OTHER_PACKAGE}: none of these; also if a CPU is not in {@link #cpus}.
   * </ol>
   *
   * <p>The distance is symmetric. CPUs share a cache only if both say so and agree on who else
   * does.
   *
   * @param cpuA number of one CPU
   * @param cpuB number of the other
   * @return the distance, from 0 to 5
   */
  public int distance(int cpuA, int cpuB) {
    if (cpuA == cpuB) {
      return SAME_CPU;
    }
    Cpu a = cpus.get(cpuA);
    Cpu b = cpus.get(cpuB);
    if (a == null || b == null) {
      return OTHER_PACKAGE;
    }
    if (a.core() == b.core() || isSame(a.l1(), b.l1())) {
      return SHARES_L1;
    }
    if (isSame(a.l2(), b.l2())) {
      return SHARES_L2;
    }
    if (isSame(a.l3(), b.l3())) {
      return SHARES_L3;
    }
    return isSamePlace(a, b) ? SAME_PACKAGE : OTHER_PACKAGE;
  }

  /**
   * Returns the cache domain of a CPU: CPUs with the same outermost cache up to L3 have the same
   * domain. A CPU without known caches shares its domain with its SMT siblings alone.
   *
   * @param cpu number of a CPU
   * @return the lowest CPU number of the domain, -1 if the CPU is unknown
   */
  public int cacheDomain(int cpu) {
    Cpu found = cpus.get(cpu);
    if (found == null) {
      return -1;
    }
    Cache outermost = outermostCache(found);
    return outermost == null ? found.core() : outermost.cpus.nextSetBit(0);
  }

  /**
   * Returns the size of the L2 cache that a CPU uses, alone or with others.
   *
   * @param cpu number of a CPU
   * @return size in bytes, -1 if unknown
   */
  public long l2Bytes(int cpu) {
    Cache l2 = l2(cpu);
    return l2 == null ? -1 : l2.bytes;
  }

  /**
   * Returns the part of the L2 cache that a CPU can call its own: its size, divided evenly among
   * the CPUs that share it, SMT siblings included.
   *
   * @param cpu number of a CPU
   * @return size in bytes, -1 if unknown
   */
  public long privateL2Bytes(int cpu) {
    Cache l2 = l2(cpu);
    return l2 == null || l2.bytes < 0 ? -1 : l2.bytes / l2.cpus.cardinality();
  }

  /**
   * Returns the numbers of the CPUs that were online.
   *
   * @return the numbers in ascending order, one or more; a new array
   */
  public int[] cpus() {
    return cpus.keySet().stream().mapToInt(Integer::intValue).toArray();
  }

  /**
   * Returns what was odd: what was missing, made no sense, or was left out.
   *
   * @return a sentence each, for people; empty if all was well
   */
  public List<String> notes() {
    return notes;
  }

  /**
   * Describes the machine for a start-up report: packages, nodes, cores and who shares which cache,
   * followed by the {@link #notes}.
   *
   * @return lines of text, separated by {@code \n}, without one at the end; the form may change
   */
  public String describe() {
    return new TopologyReport(cpus.values(), notes).text();
  }

  /** Returns the first line of {@link #describe}. */
  @Override
  public String toString() {
    return new TopologyReport(cpus.values(), notes).headline();
  }

  private @Nullable Cache l2(int cpu) {
    Cpu found = cpus.get(cpu);
    return found == null ? null : found.l2();
  }

  private boolean isSamePlace(Cpu a, Cpu b) {
    if (packagesTell && a.packageId() >= 0 && b.packageId() >= 0) {
      return a.packageId() == b.packageId();
    }
    if (a.node() >= 0 && b.node() >= 0) {
      return a.node() == b.node();
    }
    return true;
  }

  private static boolean isSame(@Nullable Cache a, @Nullable Cache b) {
    return a != null && a == b;
  }

  private static @Nullable Cache outermostCache(Cpu cpu) {
    for (int level = 3; level >= 1; level--) {
      Cache cache = cpu.cache(level);
      if (cache != null) {
        return cache;
      }
    }
    return null;
  }
}
