package dev.mely.netty.frameworks;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.netty.MelyEventLoopGroup;
import java.time.Duration;

/** What an application's group does between the application's end and its own. */
final class QuietPeriod {
  /** Longer than the default of any framework. */
  static final Duration LENGTH = Duration.ofSeconds(3);

  private QuietPeriod() {}

  /** Ends an application whose quiet period is this one: its group does not end before that. */
  static void assertKept(MelyEventLoopGroup group, AutoCloseable application) throws Exception {
    long start = System.nanoTime();
    application.close();
    assertTrue(group.isShuttingDown());
    TestGroup.await().until(group::isTerminated);
    Duration lasted = Duration.ofNanos(System.nanoTime() - start);
    assertTrue(lasted.compareTo(LENGTH) >= 0, lasted::toString);
  }
}
