package dev.mely.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.Migrating;
import dev.mely.netty.memory.ReadQueues;
import dev.mely.netty.memory.WorkingSet;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.codec.LengthFieldBasedFrameDecoder;
import io.netty.handler.codec.LengthFieldPrepender;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Random sizes, handlers that fail, channels that move and are closed, and far too little memory
 * for all of them: every answer arrives, nothing is left.
 */
class WorkingSetSoakTest {
  private static final int LARGEST = 40_000;
  private static final int BOUND = 64 * 1024;

  @ParameterizedTest
  @EnumSource
  @Timeout(300)
  void shortly(Io io) throws Exception {
    soak(io, 16, 20, 7);
  }

  /** Some minutes. */
  @ParameterizedTest
  @EnumSource
  @Timeout(3600)
  @Tag("long")
  void forLong(Io io) throws Exception {
    for (int seed = 0; seed < 20; seed++) {
      soak(io, 100, 100, seed);
    }
  }

  private static void soak(Io io, int connections, int requests, int seed) throws Exception {
    MelyEventLoopGroup group =
        io.builder().cores(3).workingSet(BOUND).runtime(Migrating.by(seed)).build();
    AtomicInteger failures = new AtomicInteger();
    Channel server =
        new ServerBootstrap()
            .group(group)
            .channel(group.serverSocketChannelType())
            .childOption(ChannelOption.SO_SNDBUF, 16 * 1024)
            .childHandler(
                new ChannelInitializer<>() {
                  @Override
                  protected void initChannel(Channel channel) {
                    channel
                        .pipeline()
                        .addLast(new LengthFieldBasedFrameDecoder(LARGEST + 4, 0, 4, 0, 4))
                        .addLast(new LengthFieldPrepender(4))
                        .addLast(new Answer(failures));
                  }
                })
            .bind(new InetSocketAddress("127.0.0.1", 0))
            .sync()
            .channel();
    MultiThreadIoEventLoopGroup clients =
        new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    List<Asker> askers = new ArrayList<>();
    for (int i = 0; i < connections; i++) {
      askers.add(new Asker(new Random(seed * 1000L + i), requests));
      connect(clients, server, askers.get(i));
    }
    for (Asker asker : askers) {
      assertEquals("done", asker.outcome.get(Harness.PATIENCE_SECONDS, TimeUnit.SECONDS));
    }
    clients.shutdownGracefully(0, 60, TimeUnit.SECONDS).sync();
    WorkingSet set = group.groupState().workingSet();
    long forcedReads = ReadQueues.forcedReads(set);
    Harness.await().until(() -> group.registeredChannels() == 1);
    group.shutdownGracefully(0, 60, TimeUnit.SECONDS).sync();
    assertTrue(failures.get() > 0, "no handler has failed");
    assertTrue(ReadQueues.count(set) > 0, "nothing was put off");
    assertEquals(0, group.allocator().liveBytes());
    for (StingyAllocator.Core core : group.allocator().cores()) {
      // One event reads 16 times at most, and no request is larger than LARGEST; what a client asks
      // for is answered once at a time.
      long event = 16L * 64 * 1024 + 4L * LARGEST;
      assertTrue(core.peakLiveBytes() <= BOUND + (1 + forcedReads) * event, core::toString);
    }
    LeakCounter.assertNoLeaks();
  }

  private static void connect(MultiThreadIoEventLoopGroup clients, Channel server, Asker asker) {
    new Bootstrap()
        .group(clients)
        .channel(NioSocketChannel.class)
        .option(ChannelOption.SO_RCVBUF, 16 * 1024)
        .handler(
            new ChannelInitializer<>() {
              @Override
              protected void initChannel(Channel channel) {
                channel
                    .pipeline()
                    .addLast(new LengthFieldBasedFrameDecoder(LARGEST + 4, 0, 4, 0, 4))
                    .addLast(new LengthFieldPrepender(4))
                    .addLast(new Connection(asker, () -> connect(clients, server, asker)));
              }
            })
        .connect(server.localAddress());
  }

  /**
   * A request is the size of the answer, a number to be repeated in it, and padding. A size of 0
   * makes the handler fail, half-way into its answer, and closes the channel.
   */
  private static final class Answer extends SimpleChannelInboundHandler<ByteBuf> {
    private final AtomicInteger failures;

    Answer(AtomicInteger failures) {
      this.failures = failures;
    }

    @Override
    protected void channelRead0(ChannelHandlerContext ctx, ByteBuf request) {
      int size = request.readInt();
      int number = request.readInt();
      ByteBuf answer = ctx.alloc().directBuffer(16); // a wrong estimate: it grows
      try {
        while (answer.readableBytes() < size) {
          answer.writeInt(number);
        }
        if (size == 0) {
          failures.incrementAndGet();
          throw new IllegalStateException("asked to fail");
        }
      } catch (IllegalStateException e) {
        answer.release();
        throw e;
      }
      ctx.writeAndFlush(answer);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
      ctx.close();
    }
  }

  /** A client's state, across its connections. Confined to the thread of the clients. */
  private static final class Asker {
    final CompletableFuture<String> outcome = new CompletableFuture<>();
    final Random random;
    int left;
    int size;
    int number;

    Asker(Random random, int requests) {
      this.random = random;
      this.left = requests;
    }
  }

  /** One connection of a client: it asks, checks and asks again; some questions kill it. */
  private static final class Connection extends SimpleChannelInboundHandler<ByteBuf> {
    private final Asker asker;
    private final Runnable again;

    Connection(Asker asker, Runnable again) {
      this.asker = asker;
      this.again = again;
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
      ask(ctx);
    }

    private void ask(ChannelHandlerContext ctx) {
      if (asker.left-- == 0) {
        asker.outcome.complete("done");
        ctx.close();
        return;
      }
      Random random = asker.random;
      asker.number = random.nextInt();
      int kind = random.nextInt(20);
      asker.size = kind == 0 ? 0 : 4 * (1 + random.nextInt(kind < 5 ? LARGEST / 4 : 100));
      int padding = random.nextInt(4) == 0 ? random.nextInt(LARGEST - 8) : random.nextInt(50);
      ByteBuf request = ctx.alloc().buffer();
      request.writeInt(asker.size).writeInt(asker.number).writeZero(padding);
      ctx.writeAndFlush(request);
      if (kind == 1) {
        ctx.close(); // without waiting for the answer
      }
    }

    @Override
    protected void channelRead0(ChannelHandlerContext ctx, ByteBuf answer) {
      if (answer.readableBytes() != asker.size || !isRight(answer)) {
        asker.outcome.complete("wrong answer");
      }
      ask(ctx);
    }

    private boolean isRight(ByteBuf answer) {
      while (answer.isReadable()) {
        if (answer.readInt() != asker.number) {
          return false;
        }
      }
      return true;
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
      if (!asker.outcome.isDone()) {
        again.run();
      }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
      ctx.close(); // the server has closed: with a reset, if it had more to read
    }
  }
}
