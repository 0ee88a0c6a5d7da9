package dev.mely.netty;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.testsuite.transport.TestsuitePermutation.BootstrapFactory;
import io.netty.testsuite.transport.socket.AbstractSocketShutdownOutputByPeerTest;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.List;
import org.junit.jupiter.api.Nested;

/** All of Netty's own tests of Unix domain sockets, unchanged, on a {@link SuiteBed}. */
abstract class DomainSuite extends StreamSuite {
  DomainSuite(SuiteBed bed) {
    super(bed);
  }

  @Nested
  class ShutdownOutputByPeer extends AbstractSocketShutdownOutputByPeerTest<SocketChannel> {
    @Override
    protected List<BootstrapFactory<ServerBootstrap>> newFactories() {
      return bed.serverSocket();
    }

    @Override
    protected SocketAddress newSocketAddress() {
      return bed.newSocketAddress();
    }

    @Override
    protected SocketChannel newSocket() {
      try {
        return SocketChannel.open(StandardProtocolFamily.UNIX);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    @Override
    protected void connect(SocketChannel socket, SocketAddress address) throws IOException {
      socket.connect(UnixDomainSocketAddress.of(address.toString()));
    }

    @Override
    protected void write(SocketChannel socket, int data) throws IOException {
      socket.write(ByteBuffer.wrap(new byte[] {(byte) data}));
    }

    @Override
    protected void shutdownOutput(SocketChannel socket) throws IOException {
      socket.shutdownOutput();
    }

    @Override
    protected void close(SocketChannel socket) throws IOException {
      socket.close();
    }
  }
}
