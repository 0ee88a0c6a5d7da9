package dev.mely.examples.service;

import dev.mely.Mely;
import dev.mely.StealPolicy;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.function.Function;

/**
 * What a server is started with.
 *
 * @param name of the application
 * @param protocol makes the protocol; given the runtime, whose colors its connections may share
 * @param address where to listen; port 0: any free one
 * @param cores how many, 1 or more
 * @param policy which heuristics idle cores steal by
 * @param maxClients how many connections there may be at a time; others are closed at once
 * @param idleTimeout a connection over which nothing passes for so long, in neither direction, is
 *     closed, within a quarter of it; zero: never
 * @param drainTimeout how long connections may take to end when the server stops
 * @param sendBuffer how many bytes the operating system shall hold for a client that does not take
 *     them, about; 0: as it likes
 */
public record ServiceConfig(
    String name,
    Function<Mely, Protocol> protocol,
    InetSocketAddress address,
    int cores,
    StealPolicy policy,
    int maxClients,
    Duration idleTimeout,
    Duration drainTimeout,
    int sendBuffer) {
  /** How many connections may wait to be accepted. */
  static final int BACKLOG = 1024;

  /** How long a client may take to end a connection that the server has finished. */
  public static final Duration LINGER = Duration.ofSeconds(2);

  /** How much of what it still sends then is read and dropped. */
  public static final long LINGER_BYTES = 1 << 20;

  /**
   * Checks the values.
   *
   * @throws IllegalArgumentException if one is out of range; the message names it
   */
  public ServiceConfig {
    check("cores", cores, 1, 1024);
    check("max-clients", maxClients, 1, Integer.MAX_VALUE);
    check("send buffer", sendBuffer, 0, Integer.MAX_VALUE);
    check("idle timeout in ms", idleTimeout.toMillis(), 0, Integer.MAX_VALUE);
    check("drain timeout in ms", drainTimeout.toMillis(), 0, Integer.MAX_VALUE);
  }

  /** From one look at idle connections to the next. */
  Duration lookPeriod() {
    return idleTimeout.dividedBy(Idleness.LOOKS);
  }

  private static void check(String name, long value, long min, long max) {
    if (value < min || value > max) {
      throw new IllegalArgumentException(
          name + " must be " + min + " to " + max + ", but is " + value);
    }
  }
}
