package dev.mely.examples.service;

import dev.mely.StealPolicy;
import dev.mely.examples.PolicyConverter;
import dev.mely.examples.SecondsConverter;
import dev.mely.topology.AllowedCpus;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/**
 * The options of every server's runtime: on how many cores, how it steals, how it ends. A server's
 * configuration has them beside its own, and checks them all when it starts. Not thread-safe; a
 * server that has them does not change them.
 */
public final class RuntimeOptions {
  private static final int MAX_CORES = 1024;

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
      converter = SecondsConverter.class,
      description =
          "How long to wait for connections and answers in flight when stopping (default: 10).")
  private Duration drainTimeout = Duration.ofSeconds(10);

  /** Has the defaults. */
  public RuntimeOptions() {}

  /**
   * Sets on how many cores to run.
   *
   * @param value as {@link #cores}
   */
  public void cores(int value) {
    cores = value;
  }

  /**
   * Returns on how many cores to run.
   *
   * @return one per processor where nobody says so
   */
  public int cores() {
    return cores == null ? AllowedCpus.system().recommendedWorkers() : cores;
  }

  /**
   * Sets how idle cores steal.
   *
   * @param value as {@link #policy}
   */
  public void policy(StealPolicy value) {
    policy = value;
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
   * Sets how long connections may take to end when the server stops.
   *
   * @param value as {@link #drainTimeout}
   */
  public void drainTimeout(Duration value) {
    drainTimeout = value;
  }

  /**
   * Returns how long connections may take to end when the server stops.
   *
   * @return ten seconds where nobody says so
   */
  public Duration drainTimeout() {
    return drainTimeout;
  }

  /**
   * Says on what a server runs, for people.
   *
   * @return such as "2 cores, policy all"
   */
  public String describe() {
    return cores() + (cores() == 1 ? " core" : " cores") + ", policy " + policy;
  }

  /**
   * Checks the values.
   *
   * @param fewest how many cores there must be; 0, for a server to which that means all there are
   * @throws IllegalArgumentException if one is out of range; the message names it
   */
  public void check(int fewest) {
    check("cores", cores == null ? fewest : cores, fewest, MAX_CORES);
    check("drain timeout", drainTimeout, 0);
  }

  /**
   * Checks a number.
   *
   * @param name of the option
   * @param value given
   * @param min the least that is right
   * @param max the most
   * @throws IllegalArgumentException if it is out of range; the message names it
   */
  public static void check(String name, long value, long min, long max) {
    if (value < min || value > max) {
      throw new IllegalArgumentException(
          name + " must be " + min + " to " + max + ", but is " + value);
    }
  }

  /**
   * Checks a time.
   *
   * @param name of the option
   * @param value given
   * @param min the shortest that is right, in milliseconds
   * @throws IllegalArgumentException if it is shorter, or 25 days; the message names it
   */
  public static void check(String name, Duration value, long min) {
    check(name + " in ms", value.toMillis(), min, Integer.MAX_VALUE);
  }

  /**
   * Finds where to listen.
   *
   * @param bind a local address, or its name
   * @param port 0: any free one
   * @return the address
   * @throws IllegalArgumentException if there is none; the message names what is wrong
   */
  public static InetSocketAddress address(String bind, int port) {
    check("port", port, 0, 65_535);
    try {
      return new InetSocketAddress(InetAddress.getByName(bind), port);
    } catch (UnknownHostException e) {
      throw new IllegalArgumentException("bind address '" + bind + "' is not known here", e);
    }
  }
}
