package dev.mely.examples.service;

import dev.mely.StealPolicy;
import dev.mely.examples.PolicyConverter;
import java.time.Duration;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options of every server's runtime: on how many cores, how it steals, how it ends. */
public final class RuntimeOptions {
  @Option(
      names = "--cores",
      paramLabel = "N",
      description = "How many cores to run on (default: one per processor).")
  private @Nullable Integer cores;

  @Option(
      names = "--policy",
      paramLabel = "NAME",
      converter = PolicyConverter.class,
      description =
          "How idle cores steal: off, base, locality, time-left, penalty or all (default: all);"
              + " names combine with a plus sign.")
  private StealPolicy policy = StealPolicy.ALL;

  @Option(
      names = "--drain-timeout",
      paramLabel = "SECONDS",
      defaultValue = "10",
      description =
          "How long to wait for connections and answers in flight when stopping (default:"
              + " ${DEFAULT-VALUE}).")
  private int drainTimeout;

  /** Made by the command line alone. */
  public RuntimeOptions() {}

  /**
   * Returns on how many cores to run.
   *
   * @return as given, checked by nobody; empty where nobody says so
   */
  public OptionalInt cores() {
    return cores == null ? OptionalInt.empty() : OptionalInt.of(cores);
  }

  /**
   * Returns how idle cores steal.
   *
   * @return all heuristics where nobody says so
   */
  public StealPolicy policy() {
    return policy;
  }

  /**
   * Says on what a server runs, for people.
   *
   * @param cores how many there are
   * @return such as "2 cores, policy all"
   */
  public String describe(int cores) {
    return cores + (cores == 1 ? " core" : " cores") + ", policy " + policy;
  }

  /**
   * Returns how long to wait when stopping.
   *
   * @return as given, checked by nobody
   */
  public Duration drainTimeout() {
    return Duration.ofSeconds(drainTimeout);
  }
}
