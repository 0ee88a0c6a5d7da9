package dev.mely.topology;

import java.util.BitSet;
import java.util.function.Consumer;
import java.util.function.Supplier;
import net.openhft.affinity.Affinity;

/**
 * Pins through a library that may be absent, refuse, or do nothing; believes only what it reads
 * back.
 *
 * <p>{@code AffinityLock} is not used: it keeps lock files and picks CPUs by its own mind.
 */
final class AffinityPinner implements Pinner {
  /** The two calls needed of the library; either may throw anything. */
  interface Calls {
    void set(int cpu);

    BitSet get();
  }

  private final Supplier<Calls> calls;
  private final Consumer<String> log;

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

  @Override
  public boolean pin(int cpu) {
    String reason;
    try {
      if (cpu >= 0 && cpu <= CpuList.MAX_CPU) {
        Calls library = calls.get();
        library.set(cpu);
        BitSet actual = library.get();
        if (actual.cardinality() == 1 && actual.get(cpu)) {
          return true;
        }
        reason =
            actual.isEmpty()
                ? "this platform has no thread affinity"
                : "the thread is still allowed on CPU " + CpuList.format(actual);
      } else {
        reason = "there is no such CPU";
      }
    } catch (Throwable failure) {
      // LinkageError where the library or its native part is missing; IllegalStateException where
      // the
      // kernel refuses; whatever it is, a thread that is not pinned still works.
      reason = failure.toString();
    }
    log.accept("Could not pin a thread to CPU " + cpu + ", going on unpinned: " + reason);
    return false;
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
    public void set(int cpu) {
      Affinity.setAffinity(cpu);
    }

    @Override
    public BitSet get() {
      return Affinity.getAffinity();
    }
  }
}
