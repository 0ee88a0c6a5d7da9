package dev.mely.netty.frameworks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.netty.MelyEventLoopGroup;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultEventLoopGroupProvider;
import io.lettuce.core.resource.EventLoopGroupProvider;
import io.netty.channel.EventLoopGroup;
import io.netty.util.concurrent.EventExecutorGroup;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Lettuce as docs/netty.md says: on the transport that it chooses itself. */
@Timeout(300)
class LettuceGuideTest {
  @Test
  void asInTheGuide(@TempDir Path folder) throws Exception {
    MelyEventLoopGroup group = MelyEventLoopGroup.builder().transport("auto").build();
    EventLoopGroupProvider provider =
        new DefaultEventLoopGroupProvider(1) {
          @Override
          protected <T extends EventLoopGroup> EventExecutorGroup doCreateEventLoopGroup(
              Class<T> type, int n, io.lettuce.core.resource.ThreadFactoryProvider factories) {
            return group;
          }
        };
    ClientResources resources = ClientResources.builder().eventLoopGroupProvider(provider).build();
    try (RedisServer server = RedisServer.start(folder)) {
      RedisClient client = RedisClient.create(resources, RedisURI.create("127.0.0.1", server.port));
      assertEquals("PONG", client.connect().sync().ping());
      client.shutdown(0, 10, TimeUnit.SECONDS);
    }
    resources.shutdown(0, 10, TimeUnit.SECONDS).get();
    assertTrue(group.isShuttingDown());
    TestGroup.await().until(group::isTerminated);
  }
}
