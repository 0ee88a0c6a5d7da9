package dev.mely.examples.sws;

import java.io.IOException;

/** A build of the server, and what it runs on: each keeps the same rules. */
enum Build {
  NIO,
  EPOLL,
  CORE,
  CORE_2003;

  /** Starts a server. */
  WebServer start(SwsConfig config) throws IOException {
    return switch (this) {
      case NIO, EPOLL -> SwsServer.start(config);
      case CORE -> SwsCoreServer.start(config, Coloring.MELY);
      case CORE_2003 -> SwsCoreServer.start(config, Coloring.LIBASYNC);
    };
  }
}
