package dev.mely.examples.sws;

import io.netty.channel.epoll.Epoll;
import io.netty.util.ResourceLeakDetector;
import java.nio.file.Path;
import java.util.List;

/** What the server's tests run on. */
final class Transports {
  static {
    // A leaked buffer or file shows as an error in the log of the test run.
    ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.PARANOID);
  }

  private Transports() {}

  /** The transports of this machine; named by parameterized tests. */
  static List<Transport> available() {
    return Epoll.isAvailable() ? List.of(Transport.NIO, Transport.EPOLL) : List.of(Transport.NIO);
  }

  /** A configuration for tests: any free port, two loops. */
  static SwsConfig.Builder config(Path root, Transport transport) {
    return SwsConfig.builder(root).port(0).cores(2).transport(transport);
  }
}
