package dev.mely.netty;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.socket.nio.NioDatagramChannel;
import io.netty.testsuite.transport.TestsuitePermutation.BootstrapComboFactory;
import io.netty.testsuite.transport.TestsuitePermutation.BootstrapFactory;
import io.netty.testsuite.transport.socket.DatagramConnectedWriteExceptionTest;
import io.netty.testsuite.transport.socket.SocketSslEchoTest;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Nested;

class NioSocketSuiteTest extends SocketSuite {
  private static final MelyEventLoopGroup GROUP =
      MelyEventLoopGroup.builder().transport("nio").cores(4).randomMigration(1).build();

  NioSocketSuiteTest() {
    super(new SuitePermutation(GROUP, NioDatagramChannel::new));
  }

  /** On epoll this one fails with Netty's own group, too. */
  @Nested
  class DatagramConnectedWriteException extends DatagramConnectedWriteExceptionTest {
    @Override
    protected List<BootstrapFactory<Bootstrap>> newFactories() {
      return permutation.datagramSocket();
    }
  }

  /** All combinations of handshakes and delegated tasks; once is enough. */
  @Nested
  class SslEcho extends SocketSslEchoTest {
    @Override
    protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
      return permutation.socket();
    }

    @Override
    protected List<ByteBufAllocator> newAllocators() {
      return List.of(ByteBufAllocator.DEFAULT);
    }
  }

  @AfterAll
  static void shutDown() {
    GROUP.shutdownGracefully();
  }
}
