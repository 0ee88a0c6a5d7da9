package dev.mely.netty;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.AdaptiveByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufAllocatorMetricProvider;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * A program that prints what {@code workingSet} costs and saves. Arguments: {@code echo SECONDS
 * ROUNDS}: echoes a second with and without a bound that never binds, in turn; or {@code slow GROUP
 * CONNECTIONS KBYTES}: the direct memory and the time for large responses to clients that read 64
 * KiB each 20 ms, of the group {@code pooled}, {@code adaptive} (stock groups), {@code mely} or
 * {@code mely:BOUND}.
 */
final class WorkingSetFigures {
  private static final int THREADS = 2;

  private WorkingSetFigures() {}

  public static void main(String[] args) throws Exception {
    if (args[0].equals("echo")) {
      echo(Integer.parseInt(args[1]), Integer.parseInt(args[2]));
    } else {
      slow(args[1], Integer.parseInt(args[2]), Integer.parseInt(args[3]) * 1024);
    }
  }

  private static Channel serve(
      EventLoopGroup group, ByteBufAllocator allocator, ChannelInitializer<Channel> children)
      throws Exception {
    ServerBootstrap bootstrap =
        new ServerBootstrap()
            .group(group)
            .channel(NioServerSocketChannel.class)
            .option(ChannelOption.SO_BACKLOG, 1024)
            .childOption(ChannelOption.SO_SNDBUF, 64 * 1024)
            .childHandler(children);
    if (allocator != null) {
      bootstrap.childOption(ChannelOption.ALLOCATOR, allocator);
    }
    return bootstrap.bind(new InetSocketAddress("127.0.0.1", 0)).sync().channel();
  }

  private static ChannelInitializer<Channel> each(
      java.util.function.Supplier<io.netty.channel.ChannelHandler> handler) {
    return new ChannelInitializer<>() {
      @Override
      protected void initChannel(Channel channel) {
        channel.pipeline().addLast(handler.get());
      }
    };
  }

  // ---- What it costs

  private static void echo(int seconds, int rounds) throws Exception {
    long[] bounds = {0, 64 << 20};
    List<List<Long>> figures = List.of(new ArrayList<>(), new ArrayList<>());
    for (int round = 0; round < rounds + 2; round++) {
      for (int kind = 0; kind < bounds.length; kind++) {
        long rate = echoes(bounds[(kind + round) % 2], seconds);
        if (round >= 2) { // the first two warm up
          figures.get((kind + round) % 2).add(rate);
        }
      }
    }
    for (int kind = 0; kind < bounds.length; kind++) {
      List<Long> sorted = figures.get(kind).stream().sorted().toList();
      System.out.printf(
          "workingSet %d: median %d echoes/s of %s%n",
          bounds[kind], sorted.get(sorted.size() / 2), figures.get(kind));
    }
  }

  private static long echoes(long bound, int seconds) throws Exception {
    MelyEventLoopGroup group = MelyEventLoopGroup.builder().cores(1).workingSet(bound).build();
    EventLoopGroup clients = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    AtomicLong echoes = new AtomicLong();
    Channel server = serve(group, null, each(Harness.Echo::new));
    for (int i = 0; i < 50; i++) {
      new Bootstrap()
          .group(clients)
          .channel(NioSocketChannel.class)
          .handler(
              new ChannelInboundHandlerAdapter() {
                @Override
                public void channelActive(ChannelHandlerContext ctx) {
                  ctx.writeAndFlush(ctx.alloc().buffer(64).writeZero(64));
                }

                @Override
                public void channelRead(ChannelHandlerContext ctx, Object message) {
                  echoes.incrementAndGet();
                  ctx.writeAndFlush(message);
                }
              })
          .connect(server.localAddress())
          .sync();
    }
    long before = echoes.get();
    long start = System.nanoTime();
    Thread.sleep(seconds * 1000L);
    long rate = (echoes.get() - before) * 1_000_000_000L / (System.nanoTime() - start);
    clients.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
    group.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
    return rate;
  }

  // ---- What it saves

  private static void slow(String name, int connections, int size) throws Exception {
    EventLoopGroup group;
    ByteBufAllocator allocator;
    if (name.startsWith("mely")) {
      long bound = name.equals("mely") ? 0 : Long.parseLong(name.substring(5));
      MelyEventLoopGroup mely =
          MelyEventLoopGroup.builder().cores(THREADS).workingSet(bound).build();
      group = mely;
      allocator = bound == 0 ? new AdaptiveByteBufAllocator() : mely.allocator();
    } else {
      group = new MultiThreadIoEventLoopGroup(THREADS, NioIoHandler.newFactory());
      allocator =
          name.equals("pooled") ? new PooledByteBufAllocator() : new AdaptiveByteBufAllocator();
    }
    Channel server =
        serve(
            group,
            allocator,
            each(
                () ->
                    new ChannelInboundHandlerAdapter() {
                      @Override
                      public void channelRead(ChannelHandlerContext ctx, Object message) {
                        ((ByteBuf) message).release();
                        ctx.writeAndFlush(ctx.alloc().directBuffer(size).writeZero(size));
                      }
                    }));
    EventLoopGroup clients = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    AtomicLong left = new AtomicLong((long) connections * size);
    long start = System.nanoTime();
    for (int i = 0; i < connections; i++) {
      new Bootstrap()
          .group(clients)
          .channel(NioSocketChannel.class)
          .option(ChannelOption.SO_RCVBUF, 64 * 1024)
          .option(ChannelOption.AUTO_READ, false)
          .handler(
              new ChannelInboundHandlerAdapter() {
                @Override
                public void channelActive(ChannelHandlerContext ctx) {
                  ctx.writeAndFlush(Unpooled.buffer(1).writeByte(1));
                  ctx.executor().scheduleAtFixedRate(ctx::read, 20, 20, TimeUnit.MILLISECONDS);
                }

                @Override
                public void channelRead(ChannelHandlerContext ctx, Object message) {
                  left.getAndAdd(-((ByteBuf) message).readableBytes());
                  ((ByteBuf) message).release();
                }
              })
          .connect(server.localAddress());
    }
    long peak = 0;
    while (left.get() > 0) {
      peak =
          Math.max(peak, ((ByteBufAllocatorMetricProvider) allocator).metric().usedDirectMemory());
      LockSupport.parkNanos(500_000);
    }
    System.out.printf(
        "%s: %d connections, %d KiB each: peak direct memory %.1f MiB, %.1f s%s%n",
        name,
        connections,
        size / 1024,
        peak / 1048576.0,
        (System.nanoTime() - start) / 1e9,
        allocator instanceof StingyAllocator stingy ? ", " + stingy.cores() : "");
    clients.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
    group.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
  }
}
