package dev.mely.examples.sws;

import java.util.Locale;

/** How sockets are watched. */
public enum Transport {
  /** epoll where it is available, NIO elsewhere. */
  AUTO,
  /** The JDK's selectors; available everywhere. */
  NIO,
  /** Linux epoll through Netty's native library. */
  EPOLL;

  /** Returns the name as the command line gives it. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
