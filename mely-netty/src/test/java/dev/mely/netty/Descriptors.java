package dev.mely.netty;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** The file descriptors of this process. */
final class Descriptors {
  private Descriptors() {}

  /** How many sockets, epoll instances and the like are open. */
  static long open() throws IOException {
    try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
      return open.filter(Descriptors::isSocketOrPoll).count();
    }
  }

  private static boolean isSocketOrPoll(Path descriptor) {
    try {
      String target = Files.readSymbolicLink(descriptor).toString();
      return target.startsWith("socket:") || target.startsWith("anon_inode:");
    } catch (IOException e) {
      return false; // closed meanwhile
    }
  }
}
