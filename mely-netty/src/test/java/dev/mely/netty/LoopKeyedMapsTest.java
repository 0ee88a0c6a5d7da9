package dev.mely.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.pool.ChannelPool;
import io.netty.channel.pool.ChannelPoolHandler;
import io.netty.channel.pool.FixedChannelPool;
import io.netty.util.concurrent.Future;
import java.lang.ref.WeakReference;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * N8: what libraries keep for each event loop stays small, be the channels ever so many. Netty's
 * resolver groups keep a resolver for each, and the one for DNS a socket.
 */
@Timeout(300)
class LoopKeyedMapsTest {
  private static final int CONNECTIONS = 300;
  private static final int CORES = 2;

  /** How many queries the buffer of the name server's socket holds; it drops those beyond. */
  private static final int MOST_QUERIES = 50;

  private static final int SHARED_COLORS = 16 * CORES;

  private static MelyEventLoopGroup group(Io io) {
    return io.builder().cores(CORES).build();
  }

  private static void end(EventLoopGroup group) {
    group.shutdownGracefully(0, 10, TimeUnit.SECONDS).syncUninterruptibly();
  }

  private static Bootstrap client(DnsBed bed, MelyEventLoopGroup group, EventLoopGroup loops) {
    return new Bootstrap()
        .group(loops)
        .channel(group.socketChannelType())
        .resolver(bed.resolvers)
        .handler(new ChannelInboundHandlerAdapter());
  }

  @ParameterizedTest
  @EnumSource
  void clientsOneAfterTheOtherNeedOneResolverPerCore(Io io) throws Exception {
    MelyEventLoopGroup group = group(io);
    try (DnsBed bed = new DnsBed(group.datagramChannelType())) {
      for (int i = 0; i < CONNECTIONS; i++) {
        Channel channel = client(bed, group, group).connect(bed.newAddress()).sync().channel();
        channel.close().sync();
        Harness.await().until(() -> group.registeredChannels() == bed.openSockets());
      }
      assertEquals(CONNECTIONS, bed.queries());
      assertTrue(bed.openSockets() <= CORES, () -> bed.openSockets() + " sockets");
      end(group);
      Harness.await().until(() -> bed.openSockets() == 0);
    }
  }

  @ParameterizedTest
  @EnumSource
  void clientsAtOneTimeNeedNoMoreResolversThanThereAreSharedColors(Io io) throws Exception {
    MelyEventLoopGroup group = group(io);
    try (DnsBed bed = new DnsBed(group.datagramChannelType())) {
      for (int round = 0; round < 2; round++) {
        List<ChannelFuture> connects = new ArrayList<>();
        for (int i = 0; i < CONNECTIONS; i++) {
          connects.add(client(bed, group, group).connect(bed.newAddress()));
          if (connects.size() % MOST_QUERIES == 0) {
            connects.get(i).sync();
          }
        }
        for (ChannelFuture connect : connects) {
          connect.sync();
        }
        assertTrue(bed.openSockets() <= SHARED_COLORS, () -> bed.openSockets() + " sockets");
        for (ChannelFuture connect : connects) {
          connect.channel().close().sync();
        }
      }
      assertEquals(2 * CONNECTIONS, bed.queries());
      end(group);
      Harness.await().until(() -> bed.openSockets() == 0);
    }
  }

  @Test
  void aPoolOfConnectionsNeedsNoMoreResolversThanThereAreSharedColors() throws Exception {
    MelyEventLoopGroup group = group(Io.NIO);
    try (DnsBed bed = new DnsBed(group.datagramChannelType())) {
      List<ChannelPool> pools = new ArrayList<>();
      List<Channel> taken = new ArrayList<>();
      for (int i = 0; i < 10; i++) {
        ChannelPool pool =
            new FixedChannelPool(
                client(bed, group, group).remoteAddress(bed.newAddress()), new Unused(), 30);
        pools.add(pool);
        List<Future<Channel>> acquired = new ArrayList<>();
        for (int n = 0; n < 30; n++) {
          acquired.add(pool.acquire());
        }
        for (Future<Channel> channel : acquired) {
          taken.add(channel.sync().getNow());
        }
      }
      assertTrue(bed.queries() >= 10, "the name server was asked");
      assertTrue(bed.openSockets() <= SHARED_COLORS, () -> bed.openSockets() + " sockets");
      for (int i = 0; i < CONNECTIONS; i++) {
        pools.get(i / 30).release(taken.get(i)).sync();
      }
      pools.forEach(ChannelPool::close);
      end(group);
    }
  }

  /**
   * A proxy connects from the loop of the channel that it serves. There are as many loops as
   * channels at one time then, and resolvers; but they go with the channels.
   */
  @ParameterizedTest
  @EnumSource
  void whatAProxyKeepsForItsChannelsGoesWithThem(Io io) throws Exception {
    MelyEventLoopGroup group = group(io);
    try (DnsBed bed = new DnsBed(group.datagramChannelType());
        Harness proxy = new Harness(group, () -> new Forward(bed, group))) {
      for (int i = 0; i < 50; i++) { // one after the other
        Harness.Client client = proxy.connect();
        client.send("x");
        assertEquals("x", client.await(1));
        client.channel.close().sync();
        awaitVacant(proxy, bed);
      }
      assertTrue(bed.openSockets() <= CORES, () -> bed.openSockets() + " sockets");
      for (int round = 0; round < 2; round++) { // at one time
        List<Harness.Client> clients = new ArrayList<>();
        for (int i = 0; i < CONNECTIONS / 2; i++) {
          clients.add(proxy.connect());
          clients.get(i).send("y");
          if (clients.size() % MOST_QUERIES == 0) {
            assertEquals("y", clients.get(i).await(1));
            clients.get(i).send("y");
          }
        }
        for (Harness.Client client : clients) {
          assertEquals("y", client.await(1));
        }
        for (Harness.Client client : clients) {
          client.channel.close().sync();
        }
        awaitVacant(proxy, bed);
        Harness.await().until(() -> bed.openSockets() <= SHARED_COLORS);
        Harness.await()
            .until(() -> group.groupState().terminationFutures().size() <= SHARED_COLORS);
      }
      end(group);
      Harness.await().until(() -> bed.openSockets() == 0);
      assertEquals(0, group.groupState().terminationFutures().size());
    }
  }

  /** What is registered is the listening channel, and what resolvers have. */
  private static void awaitVacant(Harness harness, DnsBed bed) {
    Harness.await().until(() -> harness.group.registeredChannels() == 1 + bed.openSockets());
  }

  /** Netty's own resolver group for names is static: it must not hold on to a group for good. */
  @Test
  void nothingHoldsAGroupThatHasEnded() throws Exception {
    List<WeakReference<?>> gone = new ArrayList<>();
    try (ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      useAndEnd(server.getLocalSocketAddress(), gone);
    }
    Harness.await()
        .until(
            () -> {
              System.gc();
              return gone.stream().allMatch(reference -> reference.get() == null);
            });
    assertEquals(2 + 5, gone.size());
  }

  private static void useAndEnd(SocketAddress address, List<WeakReference<?>> used)
      throws Exception {
    MelyEventLoopGroup group = group(Io.NIO);
    used.add(new WeakReference<>(group));
    used.add(new WeakReference<>(group.next()));
    for (int i = 0; i < 5; i++) {
      Bootstrap client =
          new Bootstrap()
              .group(group)
              .channel(group.socketChannelType())
              .handler(new ChannelInboundHandlerAdapter());
      Channel channel = client.connect(address).sync().channel();
      used.add(new WeakReference<>(channel.eventLoop()));
    }
    end(group);
  }

  /** Connects on the loop of the channel that it serves, and hands on what comes, both ways. */
  private static final class Forward extends ChannelInboundHandlerAdapter {
    private final DnsBed bed;
    private final MelyEventLoopGroup group;
    private ChannelFuture out;

    Forward(DnsBed bed, MelyEventLoopGroup group) {
      this.bed = bed;
      this.group = group;
    }

    @Override
    public void channelActive(ChannelHandlerContext in) {
      out =
          client(bed, group, in.channel().eventLoop())
              .handler(
                  new ChannelInboundHandlerAdapter() {
                    @Override
                    public void channelRead(ChannelHandlerContext ctx, Object message) {
                      in.writeAndFlush(message);
                    }
                  })
              .connect(bed.newAddress());
    }

    @Override
    public void channelRead(ChannelHandlerContext in, Object message) {
      out.addListener(future -> out.channel().writeAndFlush(message));
    }

    @Override
    public void channelInactive(ChannelHandlerContext in) {
      out.addListener(future -> out.channel().close());
    }
  }

  private static final class Unused implements ChannelPoolHandler {
    @Override
    public void channelReleased(Channel channel) {}

    @Override
    public void channelAcquired(Channel channel) {}

    @Override
    public void channelCreated(Channel channel) {}
  }
}
