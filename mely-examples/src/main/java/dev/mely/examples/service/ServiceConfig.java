package dev.mely.examples.service;

import dev.mely.Mely;
import java.time.Duration;
import java.util.function.Function;

/**
 * Configuration of a server of a protocol. Connections above the maximum are closed at once. A
 * connection without traffic in either direction is closed after the idle timeout, or up to a
 * quarter of it later: 15 minutes by default; zero: never.
 */
public final class ServiceConfig extends ServerOptions<ServiceConfig> {
  /** How many connections may wait to be accepted. */
  static final int BACKLOG = 1024;

  /** How long a client may take to close its end after the server has finished. */
  public static final Duration LINGER = Duration.ofSeconds(2);

  /** How many bytes are read and dropped in that time. */
  public static final long LINGER_BYTES = 1 << 20;

  private final Function<Mely, Protocol> protocol;
  private int sendBuffer;

  /**
   * Sets the defaults.
   *
   * @param protocol makes the protocol; given the runtime, whose colors its connections may share
   * @param port where to listen; 0: at any free one
   */
  public ServiceConfig(Function<Mely, Protocol> protocol, int port) {
    super(port, 10_000, 900);
    this.protocol = protocol;
  }

  /**
   * Sets the approximate size of the sockets' send buffers.
   *
   * @param value in bytes; 0, the default: the operating system's choice
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

  /** Returns the time between two checks for idle connections. */
  Duration lookPeriod() {
    return idleTimeout().dividedBy(Idleness.LOOKS);
  }
}
