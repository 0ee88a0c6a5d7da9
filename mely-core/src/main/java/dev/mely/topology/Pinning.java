package dev.mely.topology;

import java.util.Optional;
import java.util.OptionalDouble;

/**
 * The ways of pinning threads, and whether to.
 *
 * <p>Source: Mely, ICDCS'10, section IV-C. Stateless; may be used by any thread.
 */
public final class Pinning {
  private static final Pinner AFFINITY =
      new AffinityPinner(AffinityPinner.OpenHft::new, new OnceLog());

  private static final Pinner NONE = cpu -> false;

  private Pinning() {}

  /**
   * Returns the pinner that works through the OpenHFT Affinity library.
   *
   * <p>It never throws. Where the library or the permission is missing, where the platform has no
   * binding, or where a binding turns out not to have taken effect, the thread goes on unpinned.
   * The first such case in the process is reported with its reason, as a warning of the {@link
   * System.Logger} {@code dev.mely.topology}; those that follow are not.
   *
   * @return the pinner, always the same
   */
  public static Pinner affinity() {
    return AFFINITY;
  }

  /**
   * Returns the pinner that leaves threads alone.
   *
   * @return the pinner, always the same; it answers false
   */
  public static Pinner none() {
    return NONE;
  }

  /**
   * Returns {@link #affinity} where pinning is advisable, {@link #none} where it is not.
   *
   * @param allowed the CPUs of this process
   * @return the pinner
   * @see #objection
   */
  public static Pinner advised(AllowedCpus allowed) {
    return objection(allowed).isEmpty() ? AFFINITY : NONE;
  }

  /**
   * Returns why threads had better not be pinned, if so.
   *
   * <ul>
   *   <li>A quota below the number of CPUs: the CPUs are shared, and which of them is free changes.
   *       Every such process would pin to the same first ones, and a pinned worker cannot step
   *       aside. A cpuset of no more CPUs than the quota removes the objection.
   *   <li>CPU numbers that were assumed and may not exist.
   * </ul>
   *
   * @param allowed the CPUs of this process
   * @return the reason, for people; empty if pinning is advisable
   */
  public static Optional<String> objection(AllowedCpus allowed) {
    if (!allowed.numbersKnown()) {
      return Optional.of("the numbers of the CPUs are unknown");
    }
    OptionalDouble quota = allowed.quota();
    if (quota.isPresent() && quota.getAsDouble() < allowed.count()) {
      return Optional.of(
          "a quota of "
              + CgroupQuota.format(quota.getAsDouble())
              + " on "
              + allowed.count()
              + " CPUs that others share: no cpuset sets any apart");
    }
    return Optional.empty();
  }
}
