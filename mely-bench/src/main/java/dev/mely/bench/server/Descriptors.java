package dev.mely.bench.server;

import com.sun.management.UnixOperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** How many files, including sockets, a process may have open. */
final class Descriptors {
  /** Open files of a JVM other than connections: jars, selectors, files. */
  private static final int OTHERS = 256;

  private Descriptors() {}

  /** The limit of this process, which its children inherit; a large number if unknown. */
  static long limit() {
    return ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean unix
        ? unix.getMaxFileDescriptorCount()
        : Long.MAX_VALUE;
  }

  /**
   * Checks that a process may have a number of connections.
   *
   * @throws ParameterException if not; the message says what to do
   */
  static void check(CommandSpec spec, String option, int connections, long limit) {
    if (connections + OTHERS > limit) {
      String needs = " needs " + (connections + OTHERS) + " file descriptors a process, ";
      String remedy = ": raise it with 'ulimit -n', or take fewer";
      throw new ParameterException(
          spec.commandLine(),
          option + " " + connections + needs + "but the limit is " + limit + remedy);
    }
  }
}
