package dev.mely.examples.service;

import dev.mely.Mely;
import java.time.Duration;
import java.util.function.Function;

/**
 * What a server of a protocol is started with. Clients above the maximum are closed at once.
 * Nothing may pass over a connection, in neither direction, for 15 minutes by default, zero: for
 * ever; it is closed within a quarter of that time.
 */
public final class ServiceConfig extends ServerOptions<ServiceConfig> {
  /** How many connections may wait to be accepted. */
  static final int BACKLOG = 1024;

  /** How long a client may take to end a connection that the server has finished. */
  public static final Duration LINGER = Duration.ofSeconds(2);

  /** How much of what it still sends then is read and dropped. */
  public static final long LINGER_BYTES = 1 << 20;

  private final Function<Mely, Protocol> protocol;
  private int sendBuffer;

  /**
   * Has the defaults.
   *
   * @param protocol makes the protocol; given the runtime, whose colors its connections may share
   * @param port where to listen; 0: at any free one
   */
  public ServiceConfig(Function<Mely, Protocol> protocol, int port) {
    super(port, 10_000, 900);
    this.protocol = protocol;
  }

  /**
   * Sets how much the operating system shall hold for a client that does not take it, about.
   *
   * @param value in bytes; 0, the default: as it likes
   * @return this
   */
  public ServiceConfig sendBuffer(int value) {
    sendBuffer = value;
    return this;
  }

  /** Throws an {@link IllegalArgumentException} if a value is out of range, and names it. */
  void check() {
    check(1, Integer.MAX_VALUE, 0);
  }

  Function<Mely, Protocol> protocol() {
    return protocol;
  }

  int sendBuffer() {
    return sendBuffer;
  }

  /** From one look at idle connections to the next. */
  Duration lookPeriod() {
    return idleTimeout().dividedBy(Idleness.LOOKS);
  }
}
