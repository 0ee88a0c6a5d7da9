package dev.mely.netty.frameworks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.netty.LeakCounter;
import dev.mely.netty.MelyEventLoopGroup;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.redisson.Redisson;
import org.redisson.api.RAtomicLong;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;
import org.redisson.config.TransportMode;

/** Redisson against a real Redis server, as docs/netty.md says. */
@Timeout(300)
class RedissonGuideTest {
  @AfterAll
  static void noBufferIsLost() {
    LeakCounter.assertNoLeaks();
  }

  @ParameterizedTest
  @EnumSource
  void asInTheGuide(Setting setting, @TempDir Path folder) throws Exception {
    try (RedisServer server = RedisServer.start(folder);
        TestGroup loops = new TestGroup(setting)) {
      Config config = new Config();
      MelyEventLoopGroup group = loops.group;
      config.setEventLoopGroup(group);
      config.setTransportMode(setting.isEpoll() ? TransportMode.EPOLL : TransportMode.NIO);
      config
          .useSingleServer()
          .setAddress("redis://127.0.0.1:" + server.port)
          // By default 10 and 3 s, too little for what starts cold on a busy machine.
          .setConnectTimeout(TestGroup.PATIENCE_MILLIS)
          .setTimeout(TestGroup.PATIENCE_MILLIS);
      RedissonClient client = Redisson.create(config);
      assertTrue(group.registeredChannels() > 0);
      RAtomicLong counter = client.getAtomicLong("counter");
      CompletableFuture<?>[] answers =
          IntStream.range(0, 1_000)
              .mapToObj(i -> counter.incrementAndGetAsync().toCompletableFuture())
              .toArray(CompletableFuture[]::new);
      CompletableFuture.allOf(answers).get(TestGroup.PATIENCE_SECONDS, TimeUnit.SECONDS);
      assertEquals(1_000, counter.get());
      client.shutdown(0, 10, TimeUnit.SECONDS);
      assertFalse(group.isShuttingDown()); // it is the program's
    }
  }
}
