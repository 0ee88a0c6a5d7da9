package dev.mely.netty;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.testsuite.transport.TestsuitePermutation.BootstrapComboFactory;
import io.netty.testsuite.transport.TestsuitePermutation.BootstrapFactory;
import io.netty.testsuite.transport.socket.CompositeBufferGatheringWriteTest;
import io.netty.testsuite.transport.socket.DatagramConnectNotExistsTest;
import io.netty.testsuite.transport.socket.DatagramConnectedWriteExceptionTest;
import io.netty.testsuite.transport.socket.DatagramMulticastIPv6Test;
import io.netty.testsuite.transport.socket.DatagramMulticastTest;
import io.netty.testsuite.transport.socket.DatagramUnicastIPv6MappedTest;
import io.netty.testsuite.transport.socket.DatagramUnicastIPv6Test;
import io.netty.testsuite.transport.socket.DatagramUnicastInetTest;
import io.netty.testsuite.transport.socket.SocketAutoReadTest;
import io.netty.testsuite.transport.socket.SocketBufReleaseTest;
import io.netty.testsuite.transport.socket.SocketCancelWriteTest;
import io.netty.testsuite.transport.socket.SocketChannelNotYetConnectedTest;
import io.netty.testsuite.transport.socket.SocketCloseForciblyTest;
import io.netty.testsuite.transport.socket.SocketConnectTest;
import io.netty.testsuite.transport.socket.SocketConnectionAttemptTest;
import io.netty.testsuite.transport.socket.SocketExceptionHandlingTest;
import io.netty.testsuite.transport.socket.SocketHalfClosedTest;
import io.netty.testsuite.transport.socket.SocketMultipleConnectTest;
import io.netty.testsuite.transport.socket.SocketReadPendingTest;
import io.netty.testsuite.transport.socket.SocketRstTest;
import io.netty.testsuite.transport.socket.SocketShutdownOutputByPeerTest;
import io.netty.testsuite.transport.socket.SocketShutdownOutputBySelfTest;
import io.netty.testsuite.transport.socket.SocketSpdyEchoTest;
import io.netty.testsuite.transport.socket.SocketSslSessionReuseTest;
import io.netty.testsuite.transport.socket.WriteBeforeRegisteredTest;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.TestInfo;

/**
 * All of Netty's own tests of sockets with Internet addresses, unchanged, on a {@link SuiteBed}.
 */
abstract class InetSuite extends StreamSuite {
  InetSuite(SuiteBed bed) {
    super(bed);
  }

  @Nested
  class CompositeBufferGatheringWrite extends CompositeBufferGatheringWriteTest {
    @Override
    protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
      return bed.socket();
    }
  }

  @Nested
  class AutoRead extends SocketAutoReadTest {
    @Override
    protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
      return bed.socket();
    }
  }

  @Nested
  class BufRelease extends SocketBufReleaseTest {
    @Override
    protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
      return bed.socket();
    }
  }

  @Nested
  class CancelWrite extends SocketCancelWriteTest {
    @Override
    protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
      return bed.socket();
    }
  }

  @Nested
  class CloseForcibly extends SocketCloseForciblyTest {
    @Override
    protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
      return bed.socket();
    }
  }

  @Nested
  class ExceptionHandling extends SocketExceptionHandlingTest {
    @Override
    protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
      return bed.socket();
    }
  }

  @Nested
  class HalfClosed extends SocketHalfClosedTest {
    @Override
    protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
      return bed.socket();
    }
  }

  @Nested
  class ReadPending extends SocketReadPendingTest {
    @Override
    protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
      return bed.socket();
    }
  }

  @Nested
  class Rst extends SocketRstTest {
    @Override
    protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
      return bed.socket();
    }
  }

  @Nested
  class SpdyEcho extends SocketSpdyEchoTest {
    @Override
    protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
      return bed.socket();
    }
  }

  @Nested
  class SslSessionReuse extends SocketSslSessionReuseTest {
    @Override
    protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
      return bed.socket();
    }
  }

  @Nested
  class Connect extends SocketConnectTest {
    @Override
    protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
      return bed.socket();
    }
  }

  @Nested
  class MultipleConnect extends SocketMultipleConnectTest {
    @Override
    protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
      return bed.socket();
    }
  }

  @Nested
  class NotYetConnected extends SocketChannelNotYetConnectedTest {
    @Override
    protected List<BootstrapFactory<Bootstrap>> newFactories() {
      return bed.clientSocket();
    }
  }

  @Nested
  class ConnectionAttempt extends SocketConnectionAttemptTest {
    @Override
    protected List<BootstrapFactory<Bootstrap>> newFactories() {
      return bed.clientSocket();
    }
  }

  @Nested
  class ShutdownOutputBySelf extends SocketShutdownOutputBySelfTest {
    /** Netty has disabled it: not a test. */
    @Override
    public void testWriteAfterShutdownOutputNoWritabilityChange(TestInfo testInfo) {}

    @Override
    protected List<BootstrapFactory<Bootstrap>> newFactories() {
      return bed.clientSocket();
    }
  }

  @Nested
  class WriteBeforeRegistered extends WriteBeforeRegisteredTest {
    @Override
    protected List<BootstrapFactory<Bootstrap>> newFactories() {
      return bed.clientSocket();
    }
  }

  @Nested
  class ShutdownOutputByPeer extends SocketShutdownOutputByPeerTest {
    @Override
    protected List<BootstrapFactory<ServerBootstrap>> newFactories() {
      return bed.serverSocket();
    }
  }

  @Nested
  class DatagramConnectNotExists extends DatagramConnectNotExistsTest {
    @Override
    protected List<BootstrapFactory<Bootstrap>> newFactories() {
      return bed.datagramSocket();
    }
  }

  @Nested
  class DatagramConnectedWriteException extends DatagramConnectedWriteExceptionTest {
    @Override
    protected List<BootstrapFactory<Bootstrap>> newFactories() {
      return bed.datagramSocket();
    }
  }

  @Nested
  class DatagramMulticast extends DatagramMulticastTest {
    @Override
    protected List<BootstrapComboFactory<Bootstrap, Bootstrap>> newFactories() {
      return bed.datagram(socketProtocolFamily());
    }
  }

  @Nested
  class DatagramMulticastIPv6 extends DatagramMulticastIPv6Test {
    @Override
    protected List<BootstrapComboFactory<Bootstrap, Bootstrap>> newFactories() {
      return bed.datagram(socketProtocolFamily());
    }
  }

  @Nested
  class DatagramUnicastInet extends DatagramUnicastInetTest {
    @Override
    protected List<BootstrapComboFactory<Bootstrap, Bootstrap>> newFactories() {
      return bed.datagram(socketProtocolFamily());
    }
  }

  @Nested
  class DatagramUnicastIPv6 extends DatagramUnicastIPv6Test {
    @Override
    protected List<BootstrapComboFactory<Bootstrap, Bootstrap>> newFactories() {
      return bed.datagram(socketProtocolFamily());
    }
  }

  @Nested
  class DatagramUnicastIPv6Mapped extends DatagramUnicastIPv6MappedTest {
    @Override
    protected List<BootstrapComboFactory<Bootstrap, Bootstrap>> newFactories() {
      return bed.datagram(socketProtocolFamily());
    }
  }
}
