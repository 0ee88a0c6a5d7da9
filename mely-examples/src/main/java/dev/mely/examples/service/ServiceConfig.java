package dev.mely.examples.service;

import dev.mely.Mely;
import dev.mely.examples.SecondsConverter;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.function.Function;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * What a server of a protocol is started with: the options of its command line, each with its
 * default. Not thread-safe; a server that has it does not change it.
 */
public final class ServiceConfig {
  /** How many connections may wait to be accepted. */
  static final int BACKLOG = 1024;

  /** How long a client may take to end a connection that the server has finished. */
  public static final Duration LINGER = Duration.ofSeconds(2);

  /** How much of what it still sends then is read and dropped. */
  public static final long LINGER_BYTES = 1 << 20;

  private final Function<Mely, Protocol> protocol;

  private int sendBuffer;

  @Option(
      names = "--bind",
      paramLabel = "ADDRESS",
      description = "The local address to listen on; 0.0.0.0 for all (default: 127.0.0.1).")
  private String bind = "127.0.0.1";

  @Option(
      names = "--port",
      paramLabel = "N",
      description = "The port to listen on; 0 for any free one (default: a port of its own).")
  private int port;

  @Mixin private RuntimeOptions runtime = new RuntimeOptions();

  @Option(
      names = "--max-clients",
      paramLabel = "N",
      description = "How many connections to serve at a time; others are closed (default: 10000).")
  private int maxClients = 10_000;

  @Option(
      names = "--idle-timeout",
      paramLabel = "SECONDS",
      converter = SecondsConverter.class,
      description =
          "A client that neither sends nor takes anything for so long is closed; 0: never"
              + " (default: 900).")
  private Duration idleTimeout = Duration.ofMinutes(15);

  /**
   * Has the defaults.
   *
   * @param protocol makes the protocol; given the runtime, whose colors its connections may share
   * @param port where to listen; 0: at any free one
   */
  public ServiceConfig(Function<Mely, Protocol> protocol, int port) {
    this.protocol = protocol;
    this.port = port;
  }

  /**
   * Sets on how many cores to run; by default one per processor.
   *
   * @param value 1 to 1024
   * @return this
   */
  public ServiceConfig cores(int value) {
    runtime.cores(value);
    return this;
  }

  /**
   * Sets how many connections there may be at a time; others are closed at once.
   *
   * @param value 1 or more; 10,000 by default
   * @return this
   */
  public ServiceConfig maxClients(int value) {
    maxClients = value;
    return this;
  }

  /**
   * Sets after how long a connection over which nothing passes, in neither direction, is closed,
   * within a quarter of that time.
   *
   * @param value zero: never; 15 minutes by default
   * @return this
   */
  public ServiceConfig idleTimeout(Duration value) {
    idleTimeout = value;
    return this;
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
    address();
    RuntimeOptions.check("max-clients", maxClients, 1, Integer.MAX_VALUE);
    RuntimeOptions.check("idle timeout", idleTimeout, 0);
    runtime.check(1);
  }

  Function<Mely, Protocol> protocol() {
    return protocol;
  }

  InetSocketAddress address() {
    return RuntimeOptions.address(bind, port);
  }

  RuntimeOptions runtime() {
    return runtime;
  }

  int maxClients() {
    return maxClients;
  }

  Duration idleTimeout() {
    return idleTimeout;
  }

  int sendBuffer() {
    return sendBuffer;
  }

  /** From one look at idle connections to the next. */
  Duration lookPeriod() {
    return idleTimeout.dividedBy(Idleness.LOOKS);
  }
}
