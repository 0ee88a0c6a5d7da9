package dev.mely.netty.peers.suites;

import dev.mely.netty.peers.PeerGroups;
import io.grpc.ManagedChannelBuilder;
import io.grpc.ServerBuilder;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.testing.integration.AbstractInteropTest;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.concurrent.TimeUnit;
import org.junit.AfterClass;
import org.junit.BeforeClass;

/** gRPC's interoperability tests, server and client on one group. */
public class GrpcInteropSuite extends AbstractInteropTest {
  private static EventLoopGroup group;

  @BeforeClass
  public static void startGroup() {
    group = PeerGroups.create(2, NioIoHandler.newFactory());
  }

  @AfterClass
  public static void stopGroup() {
    group.shutdownGracefully(0, 10, TimeUnit.SECONDS).syncUninterruptibly();
  }

  /** Chosen here, because only the package of the tests can ask the server. */
  private int port;

  @Override
  protected ServerBuilder<?> getServerBuilder() {
    port = freePort();
    return NettyServerBuilder.forAddress(new InetSocketAddress("127.0.0.1", port))
        .bossEventLoopGroup(group)
        .workerEventLoopGroup(group)
        .channelType(NioServerSocketChannel.class)
        .flowControlWindow(TEST_FLOW_CONTROL_WINDOW)
        .maxInboundMessageSize(MAX_MESSAGE_SIZE);
  }

  @Override
  protected ManagedChannelBuilder<?> createChannelBuilder() {
    return NettyChannelBuilder.forAddress(new InetSocketAddress("127.0.0.1", port))
        .eventLoopGroup(group)
        .channelType(NioSocketChannel.class)
        .flowControlWindow(TEST_FLOW_CONTROL_WINDOW)
        .maxInboundMessageSize(MAX_MESSAGE_SIZE)
        .usePlaintext();
  }

  private static int freePort() {
    try (ServerSocket socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Statistics are no matter of groups. */
  @Override
  protected boolean metricsExpected() {
    return false;
  }
}
