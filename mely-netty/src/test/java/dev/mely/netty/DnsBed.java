package dev.mely.netty;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.DatagramChannel;
import io.netty.channel.socket.nio.NioDatagramChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.dns.DatagramDnsQuery;
import io.netty.handler.codec.dns.DatagramDnsQueryDecoder;
import io.netty.handler.codec.dns.DatagramDnsResponse;
import io.netty.handler.codec.dns.DatagramDnsResponseEncoder;
import io.netty.handler.codec.dns.DefaultDnsQuestion;
import io.netty.handler.codec.dns.DefaultDnsRawRecord;
import io.netty.handler.codec.dns.DnsQuestion;
import io.netty.handler.codec.dns.DnsRecordType;
import io.netty.handler.codec.dns.DnsSection;
import io.netty.resolver.ResolvedAddressTypes;
import io.netty.resolver.dns.DnsAddressResolverGroup;
import io.netty.resolver.dns.DnsNameResolverBuilder;
import io.netty.resolver.dns.NoopDnsCache;
import io.netty.resolver.dns.SequentialDnsServerAddressStreamProvider;
import java.net.InetSocketAddress;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A name server that knows every name ending in {@code .test} as this machine, a server to connect
 * to, and a resolver group for clients that counts its sockets. The servers are on a group of
 * Netty's own.
 */
final class DnsBed implements AutoCloseable {
  private final MultiThreadIoEventLoopGroup servers =
      new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());

  private final Queue<Channel> sockets = new ConcurrentLinkedQueue<>();
  private final AtomicInteger queries = new AtomicInteger();

  /** The server that echoes. */
  final Channel echo;

  /** Asks the name server each time anew; its sockets are of the given kind. */
  final DnsAddressResolverGroup resolvers;

  DnsBed(Class<? extends DatagramChannel> socketType) throws Exception {
    Channel names =
        new Bootstrap()
            .group(servers)
            .channel(NioDatagramChannel.class)
            .handler(new NameServer())
            .bind(new InetSocketAddress("127.0.0.1", 0))
            .sync()
            .channel();
    names.pipeline().addFirst(new DatagramDnsQueryDecoder(), new DatagramDnsResponseEncoder());
    echo =
        new ServerBootstrap()
            .group(servers)
            .channel(NioServerSocketChannel.class)
            .childHandler(new Echo())
            .bind(new InetSocketAddress("127.0.0.1", 0))
            .sync()
            .channel();
    resolvers =
        new DnsAddressResolverGroup(
            new DnsNameResolverBuilder()
                .datagramChannelFactory(
                    () -> {
                      DatagramChannel socket = newSocket(socketType);
                      sockets.add(socket);
                      return socket;
                    })
                .nameServerProvider(
                    new SequentialDnsServerAddressStreamProvider(
                        (InetSocketAddress) names.localAddress()))
                .resolveCache(NoopDnsCache.INSTANCE)
                .resolvedAddressTypes(ResolvedAddressTypes.IPV4_ONLY)
                .queryTimeoutMillis(TimeUnit.SECONDS.toMillis(Harness.PATIENCE_SECONDS)));
  }

  private static DatagramChannel newSocket(Class<? extends DatagramChannel> type) {
    try {
      return type.getConstructor().newInstance();
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }

  /** The echo server under a new name. */
  InetSocketAddress newAddress() {
    return InetSocketAddress.createUnresolved(
        "host" + System.nanoTime() + ".test", ((InetSocketAddress) echo.localAddress()).getPort());
  }

  /** How many sockets resolvers hold at this moment. */
  int openSockets() {
    sockets.removeIf(socket -> !socket.isOpen());
    return sockets.size();
  }

  /** How often the name server was asked. */
  int queries() {
    return queries.get();
  }

  @Override
  public void close() {
    resolvers.close();
    servers.shutdownGracefully(0, 5, TimeUnit.SECONDS).syncUninterruptibly();
  }

  private final class NameServer extends SimpleChannelInboundHandler<DatagramDnsQuery> {
    @Override
    protected void channelRead0(ChannelHandlerContext ctx, DatagramDnsQuery query) {
      queries.getAndIncrement();
      DnsQuestion question = query.recordAt(DnsSection.QUESTION);
      DatagramDnsResponse response =
          new DatagramDnsResponse(query.recipient(), query.sender(), query.id());
      response.addRecord(
          DnsSection.QUESTION, new DefaultDnsQuestion(question.name(), DnsRecordType.A));
      response.addRecord(
          DnsSection.ANSWER,
          new DefaultDnsRawRecord(
              question.name(),
              DnsRecordType.A,
              60,
              Unpooled.wrappedBuffer(new byte[] {127, 0, 0, 1})));
      ctx.writeAndFlush(response);
    }
  }

  private static final class Echo extends ChannelInboundHandlerAdapter {
    @Override
    public boolean isSharable() {
      return true;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      ctx.writeAndFlush(message);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
      ctx.close();
    }
  }
}
