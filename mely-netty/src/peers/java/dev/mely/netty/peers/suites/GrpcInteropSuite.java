package dev.mely.netty.peers.suites;

import dev.mely.netty.peers.PeerGroups;
import io.grpc.ForwardingServerBuilder;
import io.grpc.ManagedChannelBuilder;
import io.grpc.Server;
import io.grpc.ServerBuilder;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.testing.integration.AbstractInteropTest;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.net.InetSocketAddress;
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

  /** The one that is started; it alone knows its port. */
  private Server server;

  @Override
  protected ServerBuilder<?> getServerBuilder() {
    return new Remembering(newServer());
  }

  NettyServerBuilder newServer() {
    return NettyServerBuilder.forAddress(new InetSocketAddress("127.0.0.1", 0))
        .bossEventLoopGroup(group)
        .workerEventLoopGroup(group)
        .channelType(NioServerSocketChannel.class)
        .flowControlWindow(TEST_FLOW_CONTROL_WINDOW)
        .maxInboundMessageSize(MAX_MESSAGE_SIZE);
  }

  static EventLoopGroup group() {
    return group;
  }

  /** Keeps what it builds: only the package of the tests can ask for the server. */
  private final class Remembering extends ForwardingServerBuilder<Remembering> {
    private final ServerBuilder<?> netty;

    Remembering(ServerBuilder<?> netty) {
      this.netty = netty;
    }

    @Override
    protected ServerBuilder<?> delegate() {
      return netty;
    }

    @Override
    public Server build() {
      server = super.build();
      return server;
    }
  }

  @Override
  protected ManagedChannelBuilder<?> createChannelBuilder() {
    return NettyChannelBuilder.forAddress(new InetSocketAddress("127.0.0.1", server.getPort()))
        .eventLoopGroup(group)
        .channelType(NioSocketChannel.class)
        .flowControlWindow(TEST_FLOW_CONTROL_WINDOW)
        .maxInboundMessageSize(MAX_MESSAGE_SIZE)
        .usePlaintext();
  }

  /** Statistics are no matter of groups. */
  @Override
  protected boolean metricsExpected() {
    return false;
  }
}
