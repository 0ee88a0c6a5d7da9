package dev.mely.topology;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * The CPUs that this process may use, and how much of them.
 *
 * <p>The default number of workers comes from here: the paper runs one thread per core of the
 * machine (Mely, ICDCS'10, section IV-A); where the process is confined to fewer CPUs, or to less
 * time on them, that is the machine.
 *
 * <p>A snapshot: a mask or a quota that changes later does not show. Immutable; may be used by any
 * thread, a pinned one, too. Prefer it to {@link Runtime#availableProcessors}, which on Linux
 * answers 1 to a thread that is pinned to one CPU, and on JDK 17, up to 20 ms later, to others.
 */
public final class AllowedCpus {
  private static final Path PROC = Path.of("/proc");
  private static final Path SYS = Path.of("/sys");
  private static final String MASK = "Cpus_allowed_list:";

  /** What the Java runtime said last to a thread that it counts all CPUs for; 0: nothing yet. */
  private static volatile int told;

  private final int[] cpus;
  private final OptionalDouble quota;
  private final int limit;
  private final boolean numbersKnown;
  private final List<String> notes;

  private AllowedCpus(
      BitSet cpus, OptionalDouble quota, int limit, boolean numbersKnown, List<String> notes) {
    this.cpus = cpus.stream().toArray();
    this.quota = quota;
    this.limit = limit;
    this.numbersKnown = numbersKnown;
    this.notes = notes;
  }

  /**
   * Reads the limits of a process from its files.
   *
   * <p>The CPUs are {@code Cpus_allowed_list} of {@code self/status}, which cpusets and {@code
   * taskset} both shape, less those that are offline. The quota is the smallest of the process's
   * control group and those above it, version 1 or 2. Where the kernel tells no CPUs, as on systems
   * other than Linux, they are those that the Java runtime counts, numbered from 0. Never fails;
   * what was missing is in the {@link #notes}.
   *
   * @param procRoot what stands for {@code /proc}; need not exist
   * @param sysRoot what stands for {@code /sys}; need not exist
   * @return the limits, with at least one CPU
   */
  public static AllowedCpus read(Path procRoot, Path sysRoot) {
    return read(procRoot, sysRoot, runtimeCpus(), Integer.MAX_VALUE);
  }

  /**
   * Reads the limits of the running process. Each call reads them anew.
   *
   * <p>In addition to the files, what the Java runtime itself counts bounds the workers: that is
   * how {@code -XX:ActiveProcessorCount} gets in. The count is {@link Runtime#availableProcessors}
   * as it was before the first thread was pinned.
   *
   * @return the limits, with at least one CPU
   */
  public static AllowedCpus system() {
    int count = runtimeCpus();
    return read(PROC, SYS, count, told != 0 ? told : Integer.MAX_VALUE);
  }

  /** Returns how many CPUs the Java runtime counts, also in a pinned thread. */
  static int runtimeCpus() {
    askRuntime();
    return told != 0 ? told : Runtime.getRuntime().availableProcessors();
  }

  /** Asks the Java runtime, unless it would count the CPUs of one thread alone. */
  static void askRuntime() {
    if (!Pinning.hasPinned()) {
      BitSet thread = readMask(PROC.resolve("thread-self/status"));
      if (thread.isEmpty() || thread.equals(processMask())) {
        told = Runtime.getRuntime().availableProcessors();
      }
    }
  }

  /** Returns the affinity mask of the process, which its threads begin with; empty if unknown. */
  static BitSet processMask() {
    return readMask(PROC.resolve("self/status"));
  }

  static AllowedCpus read(Path procRoot, Path sysRoot, int fallbackCpus, int limit) {
    Notes notes = new Notes();
    BitSet online = OnlineCpus.read(sysRoot, notes);
    BitSet mask = readMask(procRoot.resolve("self/status"));
    BitSet cpus = (BitSet) online.clone();
    boolean numbersKnown = true;
    if (mask.isEmpty()) {
      if (online.isEmpty()) {
        numbersKnown = false;
        cpus.set(0, fallbackCpus);
        notes.add("no CPU numbers known; assumed " + fallbackCpus + ", numbered from 0");
      } else {
        notes.add("no affinity mask known; took all CPUs that are online");
      }
    } else if (online.isEmpty()) {
      numbersKnown = false;
      mask.stream().limit(fallbackCpus).forEach(cpus::set);
      notes.add("which CPUs are online is unknown; took the first of the affinity mask");
    } else if (online.intersects(mask)) {
      cpus.and(mask);
    } else {
      notes.add("the affinity mask names no online CPU; took all that are online");
    }
    OptionalDouble quota = CgroupQuota.read(procRoot, sysRoot, notes);
    return new AllowedCpus(cpus, quota, limit, numbersKnown, notes.toList());
  }

  /** Returns the affinity mask, empty if unknown. */
  private static BitSet readMask(Path file) {
    String status = SysFiles.read(file);
    if (status != null) {
      Optional<String> list = status.lines().filter(line -> line.startsWith(MASK)).findFirst();
      BitSet mask = CpuList.parse(list.map(line -> line.substring(MASK.length())).orElse(null));
      if (mask != null) {
        return mask;
      }
    }
    return new BitSet();
  }

  /**
   * Returns the numbers of the CPUs.
   *
   * @return the numbers in ascending order, one or more; a new array
   */
  public int[] cpus() {
    return cpus.clone();
  }

  /**
   * Returns how many CPUs there are.
   *
   * @return 1 or more
   */
  public int count() {
    return cpus.length;
  }

  /**
   * Returns whether this process may use a CPU.
   *
   * @param cpu number of a CPU
   * @return true if it is one of {@link #cpus}
   */
  public boolean contains(int cpu) {
    return Arrays.binarySearch(cpus, cpu) >= 0;
  }

  /**
   * Returns how much CPU time the control groups grant the process.
   *
   * @return CPU seconds per second, more than 0, possibly more than there are CPUs; empty if there
   *     is no limit
   */
  public OptionalDouble quota() {
    return quota;
  }

  /**
   * Returns how many workers make use of all that the process may have: one for each CPU, but no
   * more than the quota keeps busy, rounded up, and no more than the Java runtime was told to use.
   *
   * @return from 1 to {@link #count}
   */
  public int recommendedWorkers() {
    return Math.min(limit, byQuota());
  }

  private int byQuota() {
    int busy = (int) Math.ceil(quota.orElse(cpus.length));
    return Math.min(cpus.length, Math.max(1, busy));
  }

  /** Returns whether the Java runtime counts less than the files tell. */
  boolean limitedByRuntime() {
    return limit < byQuota();
  }

  /** Returns whether the numbers are the kernel's, not assumed ones. */
  boolean numbersKnown() {
    return numbersKnown;
  }

  /**
   * Returns what was odd: what was missing or made no sense.
   *
   * @return a sentence each, for people; empty if all was well
   */
  public List<String> notes() {
    return notes;
  }

  /**
   * Describes the limits for a start-up report.
   *
   * @return lines of text, separated by {@code \n}, without one at the end; the form may change
   */
  public String describe() {
    StringBuilder out = new StringBuilder(toString());
    for (String note : notes) {
      out.append("\n  note: ").append(note);
    }
    return out.toString();
  }

  /** Returns the first line of {@link #describe}. */
  @Override
  public String toString() {
    BitSet set = new BitSet();
    Arrays.stream(cpus).forEach(set::set);
    return "allowed CPUs: "
        + CpuList.format(set)
        + (quota.isPresent() ? ", quota " + CgroupQuota.format(quota.getAsDouble()) : "")
        + (limitedByRuntime() ? ", the Java runtime counts " + limit : "")
        + ", workers "
        + recommendedWorkers();
  }
}
