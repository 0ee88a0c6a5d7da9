package dev.mely.netty.frameworks;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.mely.netty.MelyEventLoopGroup;
import dev.mely.netty.MelyEventLoopGroupBuilder;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;

/**
 * A group, and what must hold: if the setting says so, an event loop changes threads; at its end it
 * terminates, and no thread is left.
 */
final class TestGroup implements AutoCloseable {
  static final long PATIENCE_SECONDS = 120;

  /** For sockets: a read that blocks is not interrupted. */
  static final int PATIENCE_MILLIS = 120_000;

  final MelyEventLoopGroup group;
  private final List<Thread> threads = new CopyOnWriteArrayList<>();

  TestGroup(Setting setting) {
    this(setting, setting.builder());
  }

  TestGroup(Setting setting, int cores) {
    this(setting, setting.builder().cores(cores));
  }

  private TestGroup(Setting setting, MelyEventLoopGroupBuilder builder) {
    DefaultThreadFactory factory = new DefaultThreadFactory("mely-" + setting);
    group =
        builder
            .threadFactory(
                body -> {
                  Thread thread = factory.newThread(body);
                  threads.add(thread);
                  return thread;
                })
            .build();
    if (setting.isMigrating()) {
      try {
        assertMigrates();
      } catch (Throwable t) {
        group.shutdownGracefully();
        throw t;
      }
    }
  }

  /** Whether the thread is one of the group's workers. */
  boolean isWorker(Thread thread) {
    return threads.contains(thread);
  }

  @Override
  public void close() {
    group.shutdownGracefully(0, PATIENCE_SECONDS / 2, TimeUnit.SECONDS);
    await().until(group::isTerminated);
    await()
        .untilAsserted(
            () -> assertEquals(List.of(), threads.stream().filter(Thread::isAlive).toList()));
  }

  /**
   * Fails if an event loop stays where it is, so that callbacks which hold their order here would
   * prove nothing. It gets one task at a time until a second thread has run one: on a busy machine
   * the only worker that has a CPU may steal the loop hundreds of times in a row.
   */
  private void assertMigrates() {
    EventLoop loop = group.next();
    Set<Thread> seen = new HashSet<>();
    await()
        .pollInterval(Duration.ofMillis(1))
        .until(() -> seen.add(loop.submit(Thread::currentThread).get()) && seen.size() > 1);
  }

  static ConditionFactory await() {
    return Awaitility.await().atMost(PATIENCE_SECONDS, TimeUnit.SECONDS);
  }
}
