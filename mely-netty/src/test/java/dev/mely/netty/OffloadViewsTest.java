package dev.mely.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.netty.OffloadBed.Kind;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.channel.epoll.EpollServerDomainSocketChannel;
import io.netty.channel.socket.DuplexChannel;
import io.netty.channel.unix.DomainSocketAddress;
import io.netty.util.AttributeKey;
import io.netty.util.ReferenceCountUtil;
import java.nio.file.Path;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The channel as off-loaded handlers see it. */
@Timeout(300)
class OffloadViewsTest {
  @ParameterizedTest
  @EnumSource
  void theChannelInsideIsTheSameForAllButItsLoopAndItsPipeline(Kind kind) throws Exception {
    AttributeKey<String> key = AttributeKey.valueOf("offload");
    BlockingQueue<ChannelHandlerContext> contexts = new LinkedTransferQueue<>();
    try (OffloadBed bed = new OffloadBed(kind)) {
      ChannelHandler offloaded =
          new ChannelInboundHandlerAdapter() {
            @Override
            public void channelRead(ChannelHandlerContext ctx, Object message) {
              ctx.channel().attr(key).set("set inside");
              contexts.add(ctx);
            }
          };
      bed.serve(channel -> channel.pipeline().addLast("outer", bed.offload(offloaded)));
      Harness.Client client = bed.connect();
      OffloadHandlerTest.fire(client.peer, "a");
      ChannelHandlerContext ctx = contexts.poll(Harness.PATIENCE_SECONDS, TimeUnit.SECONDS);
      Channel inner = ctx.channel();
      Channel real = client.peer;
      assertNotSame(real, inner);
      assertEquals(real.id(), inner.id());
      assertSame(real.config(), inner.config());
      assertSame(real.parent(), inner.parent());
      assertSame(real.alloc(), ctx.alloc());
      assertEquals(real.localAddress(), inner.localAddress());
      assertEquals(real.remoteAddress(), inner.remoteAddress());
      assertEquals("set inside", real.attr(key).get());
      assertTrue(inner.isActive() && inner.isOpen() && inner.isRegistered() && inner.isWritable());
      assertSame(inner.pipeline(), ctx.pipeline());
      assertSame(inner, ctx.pipeline().channel());
      assertSame(offloaded, ctx.pipeline().first());
      assertSame(offloaded, ctx.pipeline().last());
      assertSame(inner.eventLoop(), ctx.executor());
      assertSame(real.eventLoop().parent(), inner.eventLoop().parent());
      client.channel.close().sync();
      inner.closeFuture().sync();
      assertTrue(!inner.isActive() && !inner.isOpen());
    }
  }

  /** Says good-bye and ends its half of the connection. */
  private static final class Farewell extends ChannelInboundHandlerAdapter {
    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      ReferenceCountUtil.release(message);
      ctx.write(OffloadBed.bytes("bye"));
      ctx.flush();
      ((DuplexChannel) ctx.channel()).shutdownOutput();
    }
  }

  @Test
  void aSocketOfTheFileSystemIsClosedByHalves(@TempDir Path scratch) throws Exception {
    DomainSocketAddress address = new DomainSocketAddress(scratch.resolve("s").toString());
    MelyEventLoopGroup group = Io.EPOLL.builder().cores(2).build();
    try {
      new ServerBootstrap()
          .group(group)
          .channel(EpollServerDomainSocketChannel.class)
          .childHandler(
              new ChannelInitializer<>() {
                @Override
                protected void initChannel(Channel channel) {
                  channel.pipeline().addLast(OffloadHandler.of(new Farewell()));
                }
              })
          .bind(address)
          .sync();
      Harness.Client client = new Harness.Client();
      client.channel =
          new Bootstrap()
              .group(group)
              .channel(EpollDomainSocketChannel.class)
              .handler(client)
              .connect(address)
              .sync()
              .channel();
      client.send("a").sync();
      assertEquals("bye", client.await(3));
      client.channel.closeFuture().sync(); // as the server's half is closed
    } finally {
      group.shutdownGracefully(0, 10, TimeUnit.SECONDS).syncUninterruptibly();
    }
  }
}
