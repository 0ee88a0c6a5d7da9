package dev.mely.netty.peers;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * One run of a suite at a time on a machine, whichever build it belongs to: suites of others bind
 * ports by number, and two at once find each other's servers.
 */
final class MachineLock {
  /** A run of a suite. */
  interface Run<T> {
    T call() throws IOException, InterruptedException;
  }

  private MachineLock() {}

  /** Runs a suite when no other build of this user does. */
  static <T> T hold(Run<T> run) throws IOException, InterruptedException {
    String name = "mely-peers-" + System.getProperty("user.name") + ".lock";
    Path path = Path.of(System.getProperty("java.io.tmpdir"), name);
    try (FileChannel file =
        FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      file.lock(); // until the file is closed, or the process ends
      return run.call();
    }
  }
}
