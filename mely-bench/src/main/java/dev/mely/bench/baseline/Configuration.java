package dev.mely.bench.baseline;

import dev.mely.StealPolicy;
import dev.mely.bench.Labels;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** All configurations, by name. */
public enum Configuration {
  /** Not a runtime, but the maximum for this machine. */
  CEILING("ceiling", Family.PEER, CeilingContestant::new),

  LIBASYNC("libasync", Family.BASELINE, (c, p) -> new Libasync(false, c, p)),
  LIBASYNC_WS("libasync-ws", Family.BASELINE, (c, p) -> new Libasync(true, c, p)),

  /** The reference: the paper's Mely with stealing off. */
  SPINLOCK("mely-spinlock", Family.BASELINE, spinlock("off")),
  SPINLOCK_BASE_WS("mely-spinlock-base-ws", Family.BASELINE, spinlock("base")),
  SPINLOCK_LOCALITY("mely-spinlock-locality", Family.BASELINE, spinlock("locality")),
  SPINLOCK_TIME_LEFT("mely-spinlock-time-left", Family.BASELINE, spinlock("time-left")),
  SPINLOCK_PENALTY("mely-spinlock-penalty", Family.BASELINE, spinlock("penalty")),
  SPINLOCK_ALL("mely-spinlock-all", Family.BASELINE, spinlock("all")),

  MELY("mely", Family.MELY, mely("off", true)),
  MELY_BASE_WS("mely-base-ws", Family.MELY, mely("base", true)),
  MELY_LOCALITY("mely-locality", Family.MELY, mely("locality", true)),
  MELY_TIME_LEFT("mely-time-left", Family.MELY, mely("time-left", true)),
  MELY_PENALTY("mely-penalty", Family.MELY, mely("penalty", true)),
  MELY_ALL("mely-all", Family.MELY, mely("all", true)),

  /** As above, but without declared costs: they are measured (requirement B8). */
  MELY_AUTO("mely-auto", Family.MELY, mely("all", false)),

  FJP_GUAVA("fjp-guava", Family.POOL, GuavaContestant::new),
  FJP_MAILBOX("fjp-mailbox", Family.POOL, MailboxContestant::new),
  NETTY_NONSTICKY("netty-nonsticky", Family.PEER, NonStickyContestant::new),
  PEKKO("pekko", Family.PEER, PekkoContestant::new),
  VIRTUAL_THREADS("virtual-threads", Family.PEER, (c, p) -> new VirtualThreadContestant(c));

  /** Which figures are reported, in addition to allocations. */
  public enum Family {
    /** Steals and their times, parks, locks. */
    BASELINE,
    /** Steals and their times, takeovers, parks, wake-ups. */
    MELY,
    /** Steals. */
    POOL,
    /** None. */
    PEER
  }

  /** Makes contestants. */
  @FunctionalInterface
  private interface Starter {
    Contestant<?> start(int cores, boolean pinned);
  }

  private final String label;
  private final Family family;

  @SuppressWarnings("ImmutableEnumChecker") // a function without state
  private final Starter starter;

  Configuration(String label, Family family, Starter starter) {
    this.label = label;
    this.family = family;
    this.starter = starter;
  }

  private static Starter spinlock(String policy) {
    return (c, p) -> new SpinlockMely(StealPolicy.parse(policy), c, p);
  }

  private static Starter mely(String policy, boolean annotated) {
    return (c, p) -> new MelyContestant(StealPolicy.parse(policy), annotated, c, p);
  }

  /** The name on the command line. */
  public String label() {
    return label;
  }

  /** Which figures it reports. */
  public Family family() {
    return family;
  }

  /** Why it cannot run here; null if it can. */
  public @Nullable String unavailability() {
    return this == VIRTUAL_THREADS ? VirtualThreads.unavailability() : null;
  }

  /** Starts it. */
  public Contestant<?> start(int cores, boolean pinned) {
    return starter.start(cores, pinned);
  }

  /**
   * Looks a configuration up.
   *
   * @throws IllegalArgumentException for an unknown name
   */
  public static Configuration parse(String name) {
    return Labels.parse("configuration", name, List.of(values()), Configuration::label);
  }

  /** All names. */
  public static List<String> labels() {
    return Arrays.stream(values()).map(Configuration::label).toList();
  }
}
