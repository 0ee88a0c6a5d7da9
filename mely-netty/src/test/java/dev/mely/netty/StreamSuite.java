package dev.mely.netty;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.testsuite.transport.TestsuitePermutation.BootstrapComboFactory;
import io.netty.testsuite.transport.socket.AbstractSocketReuseFdTest;
import io.netty.testsuite.transport.socket.SocketAddressesTest;
import io.netty.testsuite.transport.socket.SocketConditionalWritabilityTest;
import io.netty.testsuite.transport.socket.SocketDataReadInitialStateTest;
import io.netty.testsuite.transport.socket.SocketEchoTest;
import io.netty.testsuite.transport.socket.SocketFileRegionTest;
import io.netty.testsuite.transport.socket.SocketFixedLengthEchoTest;
import io.netty.testsuite.transport.socket.SocketGatheringWriteTest;
import io.netty.testsuite.transport.socket.SocketObjectEchoTest;
import io.netty.testsuite.transport.socket.SocketSslGreetingTest;
import io.netty.testsuite.transport.socket.SocketStartTlsTest;
import io.netty.testsuite.transport.socket.SocketStringEchoTest;
import java.net.SocketAddress;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Netty's own tests of sockets that it runs with Internet and with Unix addresses, unchanged, on a
 * {@link SuiteBed}.
 */
@ExtendWith(StockFailures.class)
abstract class StreamSuite {
  final SuiteBed bed;

  StreamSuite(SuiteBed bed) {
    this.bed = bed;
  }

  @Nested
  class ConditionalWritability extends SocketConditionalWritabilityTest {
    @Override
    protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
      return bed.socket();
    }

    @Override
    protected SocketAddress newSocketAddress() {
      return bed.newSocketAddress();
    }
  }

  @Nested
  class DataReadInitialState extends SocketDataReadInitialStateTest {
    @Override
    protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
      return bed.socket();
    }

    @Override
    protected SocketAddress newSocketAddress() {
      return bed.newSocketAddress();
    }
  }

  @Nested
  class Echo extends SocketEchoTest {
    @Override
    protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
      return bed.socket();
    }

    @Override
    protected SocketAddress newSocketAddress() {
      return bed.newSocketAddress();
    }
  }

  @Nested
  class FileRegion extends SocketFileRegionTest {
    @Override
    protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
      return bed.socket();
    }

    @Override
    protected SocketAddress newSocketAddress() {
      return bed.newSocketAddress();
    }
  }

  @Nested
  class FixedLengthEcho extends SocketFixedLengthEchoTest {
    @Override
    protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
      return bed.socket();
    }

    @Override
    protected SocketAddress newSocketAddress() {
      return bed.newSocketAddress();
    }
  }

  @Nested
  class GatheringWrite extends SocketGatheringWriteTest {
    @Override
    protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
      return bed.socket();
    }

    @Override
    protected SocketAddress newSocketAddress() {
      return bed.newSocketAddress();
    }
  }

  @Nested
  class ObjectEcho extends SocketObjectEchoTest {
    @Override
    protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
      return bed.socket();
    }

    @Override
    protected SocketAddress newSocketAddress() {
      return bed.newSocketAddress();
    }
  }

  @Nested
  class SslGreeting extends SocketSslGreetingTest {
    @Override
    protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
      return bed.socket();
    }

    @Override
    protected SocketAddress newSocketAddress() {
      return bed.newSocketAddress();
    }
  }

  @Nested
  class StartTls extends SocketStartTlsTest {
    @Override
    protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
      return bed.socket();
    }

    @Override
    protected SocketAddress newSocketAddress() {
      return bed.newSocketAddress();
    }
  }

  @Nested
  class StringEcho extends SocketStringEchoTest {
    @Override
    protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
      return bed.socket();
    }

    @Override
    protected SocketAddress newSocketAddress() {
      return bed.newSocketAddress();
    }
  }

  @Nested
  class Addresses extends SocketAddressesTest {
    @Override
    protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
      return bed.socket();
    }

    @Override
    protected SocketAddress newSocketAddress() {
      return bed.newSocketAddress();
    }

    @Override
    protected void assertAddress(SocketAddress address) {
      bed.assertAddress(address);
    }
  }

  @Nested
  class ReuseFd extends AbstractSocketReuseFdTest {
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
