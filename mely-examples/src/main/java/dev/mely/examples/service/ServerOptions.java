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
 * The options of every server: address, limits, cores and steal policy. A server's configuration
 * extends this, and checks all values when the server starts. Not thread-safe; servers do not
 * change it.
 *
 * @param <C> the configuration
 */
public abstract class ServerOptions<C extends ServerOptions<C>> {
  private static final int MAX_CORES = 1024;

  @Option(
      names = "--bind",
      paramLabel = "ADDRESS",
      description = "The local address to listen on; 0.0.0.0 for all (default: ${DEFAULT-VALUE}).")
  private String bind = "127.0.0.1";

  @Option(
      names = "--port",
      paramLabel = "N",
      description = "The port to listen on; 0 for any free one (default: ${DEFAULT-VALUE}).")
  private int port;

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

  @Option(
      names = "--max-clients",
      paramLabel = "N",
      description = "How many connections to serve at a time (default: ${DEFAULT-VALUE}).")
  private int maxClients;

  @Option(
      names = "--idle-timeout",
      paramLabel = "SECONDS",
      description = "When to close an idle connection (default: ${DEFAULT-VALUE}).")
  private int idleSeconds;

  private @Nullable Duration idleTimeout;

  /**
   * Sets the defaults.
   *
   * @param port where to listen; 0: at any free one
   * @param maxClients how many connections there may be at a time
   * @param idleSeconds after which an idle connection is closed
   */
  protected ServerOptions(int port, int maxClients, int idleSeconds) {
    this.port = port;
    this.maxClients = maxClients;
    this.idleSeconds = idleSeconds;
  }

  @SuppressWarnings("unchecked") // see the type parameter
  private C self() {
    return (C) this;
  }

  /** Sets where to listen: 0 to 65535; 0: any free port. */
  public C port(int value) {
    port = value;
    return self();
  }

  /** Sets on how many cores to run: 1 to 1024; one per processor by default. */
  public C cores(int value) {
    cores = value;
    return self();
  }

  /** Sets how idle cores steal; {@link StealPolicy#ALL} by default. */
  public C policy(StealPolicy value) {
    policy = value;
    return self();
  }

  /** Sets how long connections may take to end when the server stops; 10 seconds by default. */
  public C drainTimeout(Duration value) {
    drainTimeout = value;
    return self();
  }

  /** Sets how many connections there may be at a time: 1 or more. */
  public C maxClients(int value) {
    maxClients = value;
    return self();
  }

  /** Sets after how long an idle connection is closed, to the millisecond. */
  public C idleTimeout(Duration value) {
    idleTimeout = value;
    return self();
  }

  /**
   * Returns where to listen.
   *
   * @throws IllegalArgumentException if the host has no address; the message names it
   */
  public final InetSocketAddress address() {
    check("port", port, 0, 65_535);
    try {
      return new InetSocketAddress(InetAddress.getByName(bind), port);
    } catch (UnknownHostException e) {
      throw new IllegalArgumentException("bind address '" + bind + "' is not known here", e);
    }
  }

  /** Returns on how many cores to run. */
  public final int cores() {
    return cores == null ? AllowedCpus.system().recommendedWorkers() : cores;
  }

  /** Returns how idle cores steal. */
  public final StealPolicy policy() {
    return policy;
  }

  /** Returns how long connections may take to end when the server stops. */
  public final Duration drainTimeout() {
    return drainTimeout;
  }

  /** Returns how many connections there may be at a time. */
  public final int maxClients() {
    return maxClients;
  }

  /** Returns after how long an idle connection is closed. */
  public final Duration idleTimeout() {
    return idleTimeout == null ? Duration.ofSeconds(idleSeconds) : idleTimeout;
  }

  /** Describes cores and policy, such as "2 cores, policy all". */
  public final String about() {
    return cores() + (cores() == 1 ? " core" : " cores") + ", policy " + policy;
  }

  /**
   * Checks these options.
   *
   * @param fewestCores the least number allowed; 0 for a server where 0 means all cores
   * @param mostClients the greatest number allowed
   * @param shortestIdle in milliseconds; 0 for a server where 0 means no timeout
   * @throws IllegalArgumentException if a value is out of range; the message names it
   */
  protected final void check(int fewestCores, int mostClients, int shortestIdle) {
    address();
    check("cores", cores == null ? fewestCores : cores, fewestCores, MAX_CORES);
    check("drain timeout", drainTimeout, 0);
    check("max-clients", maxClients, 1, mostClients);
    check("idle timeout", idleTimeout(), shortestIdle);
  }

  /**
   * Checks a number.
   *
   * @param name of the option
   * @param value given
   * @param min the least value allowed
   * @param max the greatest value allowed
   * @throws IllegalArgumentException if it is out of range; the message names it
   */
  protected static void check(String name, long value, long min, long max) {
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
   * @param min the shortest time allowed, in milliseconds
   * @throws IllegalArgumentException if it is shorter, or 25 days or longer; the message names it
   */
  protected static void check(String name, Duration value, long min) {
    check(name + " in ms", value.toMillis(), min, Integer.MAX_VALUE);
  }
}
