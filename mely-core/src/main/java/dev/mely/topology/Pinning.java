package dev.mely.topology;

import java.util.BitSet;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * The ways of pinning threads, whether to, and how to start what must not be pinned.
 *
 * <p>On Linux all that a pinned thread starts inherits its one CPU: threads, the carriers of
 * virtual threads, those of pools that grow, processes, other Java virtual machines. What needs
 * more is started by {@link #unpinned(Action)}.
 *
 * <p>Source: Mely, ICDCS'10, section IV-C. May be used by any thread.
 */
public final class Pinning {
  private static final OnceLog OBJECTIONS = new OnceLog(System.Logger.Level.INFO);

  private static final AffinityPinner AFFINITY =
      new AffinityPinner(AffinityPinner.OpenHft::new, new OnceLog(System.Logger.Level.WARNING));

  private static final Pinner NONE = cpu -> false;

  /** With the versions that Mely is tested with: those of the parent pom. */
  private static final String ABSENT =
      "Pinning needs OpenHFT Affinity, which is missing: depend on net.openhft:affinity:3.23.2 and"
          + " net.java.dev.jna:jna:5.18.1, and in a module require affinity and org.slf4j";

  private Pinning() {}

  /**
   * What {@link #unpinned(Action)} runs.
   *
   * @param <T> of its result
   * @param <X> of what it throws
   */
  @FunctionalInterface
  public interface Action<T, X extends Throwable> {
    /**
     * Does it.
     *
     * @return its result
     * @throws X if it fails
     */
    T run() throws X;
  }

  /**
   * Returns the pinner that works through the OpenHFT Affinity library.
   *
   * <p>It never throws. Where the library or the permission is missing, where the platform has no
   * binding, or where a binding turns out not to have taken effect, the thread goes on unpinned, as
   * a virtual thread does in any case. The first such case in the process is reported with its
   * reason, as a warning of the {@link System.Logger} {@code dev.mely.topology}; those that follow
   * are not.
   *
   * @return the pinner of the process
   */
  public static Pinner affinity() {
    return AFFINITY;
  }

  /**
   * Returns the pinner that leaves threads alone.
   *
   * @return a pinner that answers false
   */
  public static Pinner none() {
    return NONE;
  }

  /**
   * Returns what {@link #advised(AllowedCpus, int)} does for a single thread.
   *
   * @param allowed the CPUs of this process
   * @return the pinner
   */
  public static Pinner advised(AllowedCpus allowed) {
    return advised(allowed, 1);
  }

  /**
   * Returns {@link #affinity} where pinning is advisable, {@link #none} where it is not. The first
   * objection in the process is logged, as information of the {@link System.Logger} {@code
   * dev.mely.topology}.
   *
   * @param allowed the CPUs of this process
   * @param threads how many threads will be pinned, 1 or more
   * @return the pinner
   * @throws IllegalStateException if the library is absent, advisable or not: on the next machine
   *     it would be missed
   * @see #objection(AllowedCpus, int)
   */
  public static Pinner advised(AllowedCpus allowed, int threads) {
    if (!AffinityPinner.isPresent()) {
      throw new IllegalStateException(ABSENT);
    }
    Optional<String> objection = objection(allowed, threads);
    objection.ifPresent(reason -> OBJECTIONS.accept("Workers are not pinned: " + reason));
    return objection.isEmpty() ? AFFINITY : NONE;
  }

  /**
   * Returns what {@link #objection(AllowedCpus, int)} does for a single thread.
   *
   * @param allowed the CPUs of this process
   * @return the reason, for people; empty if pinning is advisable
   */
  public static Optional<String> objection(AllowedCpus allowed) {
    return objection(allowed, 1);
  }

  /**
   * Returns why threads had better not be pinned, if so.
   *
   * <ul>
   *   <li>More threads than CPUs: two on one CPU would keep each other from using another.
   *   <li>A quota below the number of CPUs, or a Java runtime that was told to use fewer ({@code
   *       -XX:ActiveProcessorCount}): the CPUs are shared, and which of them is free changes. Every
   *       such process would pin to the same first ones, and a pinned worker cannot step aside. A
   *       cpuset of no more CPUs than that removes the objection.
   *   <li>CPU numbers that were assumed and may not exist.
   * </ul>
   *
   * @param allowed the CPUs of this process
   * @param threads how many threads would be pinned, 1 or more
   * @return the reason, for people; empty if pinning is advisable
   */
  public static Optional<String> objection(AllowedCpus allowed, int threads) {
    if (!allowed.numbersKnown()) {
      return Optional.of("the numbers of the CPUs are unknown");
    }
    int cpus = allowed.count();
    if (threads > cpus) {
      return Optional.of("there are more of them, " + threads + ", than CPUs, " + cpus);
    }
    String shared = " CPUs that others share: no cpuset sets any apart";
    OptionalDouble quota = allowed.quota();
    if (quota.isPresent() && quota.getAsDouble() < cpus) {
      return Optional.of(
          "a quota of " + CgroupQuota.format(quota.getAsDouble()) + " on " + cpus + shared);
    }
    if (allowed.limitedByRuntime()) {
      return Optional.of(
          "a Java runtime told to use " + allowed.recommendedWorkers() + " of " + cpus + shared);
    }
    return Optional.empty();
  }

  /** Returns whether a thread of this process has ever been pinned. */
  static boolean hasPinned() {
    return AFFINITY.hasPinned();
  }

  /**
   * Runs an action unpinned: see {@code dev.mely.pinning.Unpinned}, which offers this to programs.
   *
   * @param <T> of its result
   * @param <X> of what it throws
   * @param action called once, by the calling thread
   * @return what the action returns
   * @throws X what the action throws
   */
  public static <T, X extends Throwable> T unpinned(Action<T, X> action) throws X {
    BitSet pin = AFFINITY.unpin();
    if (pin == null) {
      return action.run();
    }
    try {
      return action.run();
    } finally {
      AFFINITY.restore(pin);
    }
  }

  /**
   * Does the same with an action that has no result.
   *
   * @param action called once, by the calling thread
   */
  public static void unpinned(Runnable action) {
    Action<Object, RuntimeException> same =
        () -> {
          action.run();
          return NONE;
        };
    unpinned(same);
  }
}
