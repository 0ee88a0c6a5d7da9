package dev.mely.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.mely.StealPolicy;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** docs/mely-for-netty.md: its pieces of Java. See {@link GuideTest}. */
@Timeout(300)
class NettyPeopleGuideTest {
  @Test
  void stealingIsSwitchedOff() throws Exception {
    MelyEventLoopGroup group = MelyEventLoopGroup.builder().policy(StealPolicy.OFF).build();
    assertEquals(6, group.next().submit(() -> 2 * 3).get());
    group.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
  }

  @Test
  void theWayBackIsOneLineToo() throws Exception {
    EventLoopGroup group = new MultiThreadIoEventLoopGroup(NioIoHandler.newFactory());
    assertEquals(6, group.submit(() -> 2 * 3).get());
    group.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
  }
}
