package dev.mely.topology;

import java.util.BitSet;
import java.util.function.Consumer;
import java.util.function.Supplier;
import net.openhft.affinity.Affinity;
import org.jspecify.annotations.Nullable;

/**
 * Pins through a library that may be absent, refuse, or do nothing; believes only what it reads
 * back.
 *
 * <p>{@code AffinityLock} is not used: it keeps lock files and picks CPUs by its own mind.
 */
final class AffinityPinner implements Pinner {
  /** The two calls needed of the library; either may throw anything. */
  interface Calls {
    void set(BitSet cpus);

    BitSet get();
  }

  private final Supplier<Calls> calls;
  private final Consumer<String> log;

  /** The CPUs to which this has pinned threads, ended ones included. Replaced, never changed. */
  private volatile BitSet pinned = new BitSet();

  /**
   * Makes a pinner.
   *
   * @param calls makes the calls; asked each time, may throw anything
   * @param log takes the reason of each failure
   */
  AffinityPinner(Supplier<Calls> calls, Consumer<String> log) {
    this.calls = calls;
    this.log = log;
  }

  /**
   * Returns whether the library can be loaded, with the two that it cannot do without. Nothing is
   * initialized.
   */
  static boolean isPresent() {
    try {
      // Fails also where the library is on the class path and this class is in a named module.
      ClassLoader loader = Affinity.class.getClassLoader();
      Class.forName("com.sun.jna.Native", false, loader);
      Class.forName("org.slf4j.Logger", false, loader);
      return true;
    } catch (ClassNotFoundException | LinkageError absent) {
      return false;
    }
  }

  /** Returns whether this has ever pinned a thread. */
  boolean hasPinned() {
    return !pinned.isEmpty();
  }

  @Override
  public boolean pin(int cpu) {
    AllowedCpus.askRuntime(); // while no thread is pinned it tells the truth
    String reason;
    try {
      if (cpu < 0 || cpu > CpuList.MAX_CPU) {
        reason = "there is no such CPU";
      } else if (isVirtual()) {
        reason = "a virtual thread shares its carrier with others";
      } else {
        BitSet only = new BitSet();
        only.set(cpu);
        reason = confine(only);
      }
    } catch (Throwable failure) {
      // A LinkageError where the library or its native part is missing, an IllegalStateException
      // where the kernel refuses; in any case a thread that is not pinned still works.
      reason = failure.toString();
    }
    if (reason == null) {
      remember(cpu);
      return true;
    }
    log.accept("Could not pin a thread to CPU " + cpu + ", going on unpinned: " + reason);
    return false;
  }

  /** Returns null if the calling thread is now allowed on these CPUs alone, else what is wrong. */
  private @Nullable String confine(BitSet cpus) {
    Calls library = calls.get();
    library.set(cpus);
    BitSet actual = library.get();
    if (actual.equals(cpus)) {
      return null;
    }
    return actual.isEmpty()
        ? "this platform has no thread affinity"
        : "the thread is still allowed on CPU " + CpuList.format(actual);
  }

  private synchronized void remember(int cpu) {
    BitSet more = (BitSet) pinned.clone();
    more.set(cpu);
    pinned = more;
  }

  /**
   * Gives the calling thread the process's mask, if it is pinned or has inherited a pin; one that
   * something else has confined is left alone. Never throws.
   *
   * @return the pin to {@linkplain #restore restore}; null if there is none
   */
  @Nullable BitSet unpin() {
    if (!hasPinned()) {
      return null; // not even the library is loaded
    }
    try {
      BitSet mask = calls.get().get();
      BitSet process = AllowedCpus.processMask();
      if (mask.cardinality() != 1 || !mask.intersects(pinned) || process.cardinality() < 2) {
        return null;
      }
      String reason = confine(process);
      // The mask of the process may name CPUs that are offline, which the system leaves out.
      if (reason == null || !calls.get().get().equals(mask)) {
        // What a virtual thread is rid of is its carrier's, and it may end on another carrier.
        return isVirtual() ? null : mask;
      }
      log.accept("Could not undo the pin of a thread for a while: " + reason);
    } catch (Throwable failure) {
      log.accept("Could not undo the pin of a thread for a while: " + failure);
    }
    return null;
  }

  /** Pins the calling thread again. Never throws. */
  void restore(BitSet pin) {
    String reason;
    try {
      reason = confine(pin);
    } catch (Throwable failure) {
      reason = failure.toString();
    }
    if (reason != null) {
      log.accept(
          "Could not pin a thread to CPU "
              + CpuList.format(pin)
              + " again, going on unpinned: "
              + reason);
    }
  }

  /** {@code Thread.isVirtual}, which came after Java 17. */
  private static boolean isVirtual() {
    return Thread.currentThread().getClass().getName().equals("java.lang.VirtualThread");
  }

  /** The real calls. Loading this class loads the library. */
  static final class OpenHft implements Calls {
    /** Read once, when slf4j starts up (2.0.10 and later). */
    private static final String SLF4J_VERBOSITY = "slf4j.internal.verbosity";

    static {
      // The library logs through slf4j, which prints a complaint where the application has not
      // chosen a logging backend. It need not choose one for our sake.
      boolean quieten = System.getProperty(SLF4J_VERBOSITY) == null;
      if (quieten) {
        System.setProperty(SLF4J_VERBOSITY, "ERROR");
      }
      try {
        Affinity.getAffinityImpl();
      } finally {
        if (quieten) {
          System.clearProperty(SLF4J_VERBOSITY);
        }
      }
    }

    @Override
    public void set(BitSet cpus) {
      Affinity.setAffinity(cpus);
    }

    @Override
    public BitSet get() {
      return Affinity.getAffinity();
    }
  }
}
