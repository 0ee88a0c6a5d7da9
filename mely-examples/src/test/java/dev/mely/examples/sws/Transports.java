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

  /** The builds that run on this machine; named by parameterized tests. */
  static List<Build> available() {
    return Epoll.isAvailable()
        ? List.of(Build.values())
        : List.of(Build.NIO, Build.CORE, Build.CORE_2003);
  }

  /** Without the second coloring, which ends connections as the first one does. */
  static List<Build> ends() {
    return available().stream().filter(build -> build != Build.CORE_2003).toList();
  }

  /** Those that find files in different ways. */
  static List<Build> finders() {
    return List.of(Epoll.isAvailable() ? Build.EPOLL : Build.NIO, Build.CORE_2003);
  }

  /** A configuration for tests: any free port, two loops. */
  static SwsConfig config(Path root, Build build) {
    Transport transport = build == Build.EPOLL ? Transport.EPOLL : Transport.NIO;
    return new SwsConfig(root).port(0).cores(2).transport(transport);
  }
}
