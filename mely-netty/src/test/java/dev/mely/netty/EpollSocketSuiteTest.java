package dev.mely.netty;

import io.netty.channel.epoll.EpollDatagramChannel;
import org.junit.jupiter.api.AfterAll;

class EpollSocketSuiteTest extends SocketSuite {
  private static final MelyEventLoopGroup GROUP =
      MelyEventLoopGroup.builder().transport("epoll").cores(4).randomMigration(1).build();

  EpollSocketSuiteTest() {
    super(new SuitePermutation(GROUP, EpollDatagramChannel::new));
  }

  @AfterAll
  static void shutDown() {
    GROUP.shutdownGracefully();
  }
}
