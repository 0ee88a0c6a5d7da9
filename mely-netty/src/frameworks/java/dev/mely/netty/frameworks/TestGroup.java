package dev.mely.netty.frameworks;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.mely.netty.MelyEventLoopGroup;
import dev.mely.netty.MelyEventLoopGroupBuilder;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;

/** A group, and what must hold at its end: it terminates, and no thread is left. */
final class TestGroup implements AutoCloseable {
  static final long PATIENCE_SECONDS = 120;

  /** For sockets: a read that blocks is not interrupted. */
  static final int PATIENCE_MILLIS = 120_000;

  final MelyEventLoopGroup group;
  private final List<Thread> threads = new CopyOnWriteArrayList<>();

  TestGroup(Setting setting) {
    this("mely-" + setting, setting.builder());
  }

  TestGroup(String name, MelyEventLoopGroupBuilder builder) {
    DefaultThreadFactory factory = new DefaultThreadFactory(name);
    group =
        builder
            .threadFactory(
                body -> {
                  Thread thread = factory.newThread(body);
                  threads.add(thread);
                  return thread;
                })
            .build();
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

  static ConditionFactory await() {
    return Awaitility.await().atMost(PATIENCE_SECONDS, TimeUnit.SECONDS);
  }
}
