package dev.mely.netty;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBufAllocator;
import io.netty.testsuite.transport.TestsuitePermutation.BootstrapComboFactory;
import io.netty.testsuite.transport.socket.SocketSslEchoTest;
import java.net.SocketAddress;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** With the test of TLS, which runs at night alone: it takes as long as all the others. */
abstract class WholeInetSuite extends InetSuite {
  WholeInetSuite(SuiteBed bed) {
    super(bed);
  }

  @Nested
  @Tag("long")
  class SslEcho extends SocketSslEchoTest {
    /** All combinations of handshakes and delegated tasks: once is enough. */
    @Override
    protected List<ByteBufAllocator> newAllocators() {
      return List.of(ByteBufAllocator.DEFAULT);
    }

    @Override
    protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
      return bed.socket();
    }

    @Override
    protected SocketAddress newSocketAddress() {
      return bed.newSocketAddress();
    }
  }
}
