package dev.mely.netty;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.testsuite.transport.TestsuitePermutation.BootstrapComboFactory;
import io.netty.testsuite.transport.TestsuitePermutation.BootstrapFactory;
import io.netty.testsuite.transport.socket.CompositeBufferGatheringWriteTest;
import io.netty.testsuite.transport.socket.DatagramConnectNotExistsTest;
import io.netty.testsuite.transport.socket.DatagramUnicastInetTest;
import io.netty.testsuite.transport.socket.SocketAutoReadTest;
import io.netty.testsuite.transport.socket.SocketBufReleaseTest;
import io.netty.testsuite.transport.socket.SocketCancelWriteTest;
import io.netty.testsuite.transport.socket.SocketCloseForciblyTest;
import io.netty.testsuite.transport.socket.SocketConditionalWritabilityTest;
import io.netty.testsuite.transport.socket.SocketConnectTest;
import io.netty.testsuite.transport.socket.SocketConnectionAttemptTest;
import io.netty.testsuite.transport.socket.SocketDataReadInitialStateTest;
import io.netty.testsuite.transport.socket.SocketEchoTest;
import io.netty.testsuite.transport.socket.SocketExceptionHandlingTest;
import io.netty.testsuite.transport.socket.SocketFileRegionTest;
import io.netty.testsuite.transport.socket.SocketFixedLengthEchoTest;
import io.netty.testsuite.transport.socket.SocketGatheringWriteTest;
import io.netty.testsuite.transport.socket.SocketHalfClosedTest;
import io.netty.testsuite.transport.socket.SocketObjectEchoTest;
import io.netty.testsuite.transport.socket.SocketReadPendingTest;
import io.netty.testsuite.transport.socket.SocketRstTest;
import io.netty.testsuite.transport.socket.SocketShutdownOutputByPeerTest;
import io.netty.testsuite.transport.socket.SocketShutdownOutputBySelfTest;
import io.netty.testsuite.transport.socket.SocketSpdyEchoTest;
import io.netty.testsuite.transport.socket.SocketSslGreetingTest;
import io.netty.testsuite.transport.socket.SocketStartTlsTest;
import io.netty.testsuite.transport.socket.SocketStringEchoTest;
import io.netty.testsuite.transport.socket.WriteBeforeRegisteredTest;
import java.util.List;
import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.TestInfo;

/**
 * Netty's own tests of its socket transports, unchanged, on a group whose colors migrate at random.
 */
abstract class SocketSuite {
  final SuitePermutation permutation;

  SocketSuite(SuitePermutation permutation) {
    this.permutation = permutation;
  }

  @Nested
  class CompositeBufferGatheringWrite extends CompositeBufferGatheringWriteTest {
    @Override
    protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
      return permutation.socket();
    }
  }

  @Nested
  class AutoRead extends SocketAutoReadTest {
    @Override
    protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
      return permutation.socket();
    }
  }

  @Nested
  class BufRelease extends SocketBufReleaseTest {
    @Override
    protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
      return permutation.socket();
    }
  }

  @Nested
  class CancelWrite extends SocketCancelWriteTest {
    @Override
    protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
      return permutation.socket();
    }
  }

  @Nested
  class CloseForcibly extends SocketCloseForciblyTest {
    @Override
    protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
      return permutation.socket();
    }
  }

  @Nested
  class ConditionalWritability extends SocketConditionalWritabilityTest {
    @Override
    protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
      return permutation.socket();
    }
  }

  @Nested
  class Connect extends SocketConnectTest {
    @Override
    protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
      return permutation.socket();
    }
  }

  @Nested
  class DataReadInitialState extends SocketDataReadInitialStateTest {
    @Override
    protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
      return permutation.socket();
    }
  }

  @Nested
  class Echo extends SocketEchoTest {
    @Override
    protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
      return permutation.socket();
    }
  }

  @Nested
  class ExceptionHandling extends SocketExceptionHandlingTest {
    @Override
    protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
      return permutation.socket();
    }
  }

  @Nested
  class FileRegion extends SocketFileRegionTest {
    @Override
    protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
      return permutation.socket();
    }
  }

  @Nested
  class FixedLengthEcho extends SocketFixedLengthEchoTest {
    @Override
    protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
      return permutation.socket();
    }
  }

  @Nested
  class GatheringWrite extends SocketGatheringWriteTest {
    @Override
    protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
      return permutation.socket();
    }
  }

  @Nested
  class HalfClosed extends SocketHalfClosedTest {
    @Override
    protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
      return permutation.socket();
    }
  }

  @Nested
  class ObjectEcho extends SocketObjectEchoTest {
    @Override
    protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
      return permutation.socket();
    }
  }

  @Nested
  class ReadPending extends SocketReadPendingTest {
    @Override
    protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
      return permutation.socket();
    }
  }

  @Nested
  class Rst extends SocketRstTest {
    @Override
    protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
      return permutation.socket();
    }
  }

  @Nested
  class SpdyEcho extends SocketSpdyEchoTest {
    @Override
    protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
      return permutation.socket();
    }
  }

  @Nested
  class SslGreeting extends SocketSslGreetingTest {
    @Override
    protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
      return permutation.socket();
    }
  }

  @Nested
  class StartTls extends SocketStartTlsTest {
    @Override
    protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
      return permutation.socket();
    }
  }

  @Nested
  class StringEcho extends SocketStringEchoTest {
    @Override
    protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
      return permutation.socket();
    }
  }

  @Nested
  class ConnectionAttempt extends SocketConnectionAttemptTest {
    @Override
    @Disabled("needs a network that swallows packets to an unassigned address")
    public void testConnectCancellation(TestInfo testInfo) {}

    @Override
    protected List<BootstrapFactory<Bootstrap>> newFactories() {
      return permutation.clientSocket();
    }
  }

  @Nested
  class ShutdownOutputBySelf extends SocketShutdownOutputBySelfTest {
    @Override
    protected List<BootstrapFactory<Bootstrap>> newFactories() {
      return permutation.clientSocket();
    }
  }

  @Nested
  class WriteBeforeRegistered extends WriteBeforeRegisteredTest {
    @Override
    protected List<BootstrapFactory<Bootstrap>> newFactories() {
      return permutation.clientSocket();
    }
  }

  @Nested
  class ShutdownOutputByPeer extends SocketShutdownOutputByPeerTest {
    @Override
    protected List<BootstrapFactory<ServerBootstrap>> newFactories() {
      return permutation.serverSocket();
    }
  }

  @Nested
  class DatagramConnectNotExists extends DatagramConnectNotExistsTest {
    @Override
    protected List<BootstrapFactory<Bootstrap>> newFactories() {
      return permutation.datagramSocket();
    }
  }

  @Nested
  class DatagramUnicast extends DatagramUnicastInetTest {
    @Override
    protected List<BootstrapComboFactory<Bootstrap, Bootstrap>> newFactories() {
      return permutation.datagram(socketProtocolFamily());
    }
  }
}
