package dev.mely.examples.sws;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** How sockets are watched. */
public enum Transport {
  /** epoll where it is available, NIO elsewhere. */
  AUTO,
  /** The JDK's selectors; available everywhere. */
  NIO,
  /** Linux epoll through Netty's native library. */
  EPOLL;

  /**
   * Finds the transport of a name as the command line gives it.
   *
   * @throws IllegalArgumentException if there is none; the message says which there are
   */
  static Transport parse(String name) {
    for (Transport transport : values()) {
      if (transport.toString().equals(name)) {
        return transport;
      }
    }
    throw new IllegalArgumentException(
        "unknown transport '"
            + name
            + "': use one of "
            + Arrays.stream(values()).map(Transport::toString).collect(Collectors.joining(", ")));
  }

  /** Returns the name as the command line gives it. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
