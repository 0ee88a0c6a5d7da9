package dev.mely.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.SingleThreadEventLoop;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The contract of event loops, see {@code docs/netty.md}: channels. */
@Timeout(300)
class LoopChannelsTest {
  /** From the first callback to the last, and in each listener. */
  @ParameterizedTest
  @EnumSource
  void everyCallbackAndListenerIsInTheLoop(LoopGroups groups) throws Exception {
    EventLoopGroup group = groups.start();
    Channel server = LoopGroups.serve(group, Harness.Echo::new);
    List<String> trace = Collections.synchronizedList(new ArrayList<>());
    class Noting extends ChannelInboundHandlerAdapter {
      private void note(ChannelHandlerContext ctx, String what) {
        trace.add(what + (ctx.channel().eventLoop().inEventLoop() ? "" : " elsewhere"));
      }

      @Override
      public void handlerAdded(ChannelHandlerContext ctx) {
        note(ctx, "added");
      }

      @Override
      public void channelRegistered(ChannelHandlerContext ctx) {
        note(ctx, "registered");
      }

      @Override
      public void channelActive(ChannelHandlerContext ctx) {
        note(ctx, "active");
        ctx.channel().closeFuture().addListener(future -> note(ctx, "closed"));
        ctx.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(future -> note(ctx, "written"));
        ctx.fireChannelActive();
      }

      @Override
      public void channelInactive(ChannelHandlerContext ctx) {
        note(ctx, "inactive");
      }

      @Override
      public void channelUnregistered(ChannelHandlerContext ctx) {
        note(ctx, "unregistered");
      }

      @Override
      public void handlerRemoved(ChannelHandlerContext ctx) {
        note(ctx, "removed");
      }
    }
    Channel client = LoopGroups.connect(group, server, Noting::new).sync().channel();
    Harness.await().until(() -> trace.contains("written"));
    client.close().sync();
    Harness.await().until(() -> trace.size() >= 8);
    assertEquals(
        List.of(
            "added",
            "registered",
            "active",
            "written",
            "closed",
            "inactive",
            "unregistered",
            "removed"),
        List.copyOf(trace));
    group.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
  }

  /** Of what is there to be read, nothing more comes, although it has been sent. */
  @ParameterizedTest
  @EnumSource
  void nothingIsReadAfterAutoReadHasEnded(LoopGroups groups) throws Exception {
    EventLoopGroup group = groups.start();
    AtomicInteger reads = new AtomicInteger();
    CompletableFuture<Channel> reader = new CompletableFuture<>();
    Channel server =
        LoopGroups.serve(
            group,
            () ->
                new ChannelInboundHandlerAdapter() {
                  @Override
                  public void handlerAdded(ChannelHandlerContext ctx) {
                    ctx.channel()
                        .config()
                        .setRecvByteBufAllocator(new FixedRecvByteBufAllocator(1));
                    reader.complete(ctx.channel());
                  }

                  @Override
                  public void channelRead(ChannelHandlerContext ctx, Object message) {
                    ((ByteBuf) message).release();
                    reads.incrementAndGet();
                    ctx.channel().config().setAutoRead(false);
                  }
                });
    Channel client =
        LoopGroups.connect(group, server, ChannelInboundHandlerAdapter::new).sync().channel();
    client.writeAndFlush(Unpooled.wrappedBuffer(new byte[100])).sync();
    for (int asked = 1; asked <= 5; asked++) {
      int expected = asked;
      Harness.await().until(() -> reads.get() >= expected);
      EventLoop loop = reader.get().eventLoop();
      for (int i = 0; i < 10; i++) {
        loop.submit(() -> {}).get(); // the loop has turned around
      }
      assertEquals(expected, reads.get());
      reader.get().read();
    }
    group.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
  }

  /** One channel always has something to read, the other one is served all the same. */
  @ParameterizedTest
  @EnumSource
  void channelsOfOneLoopAreServedInTurn(LoopGroups groups) throws Exception {
    EventLoopGroup group = groups.start();
    EventLoopGroup shared = (EventLoopGroup) group.next();
    CompletableFuture<Void> flood = new CompletableFuture<>();
    AtomicInteger flooded = new AtomicInteger();
    Channel server = LoopGroups.serve(shared, Harness.Echo::new);
    // What it reads it sends again, and the server echoes it.
    Channel flooding =
        LoopGroups.connect(
                shared,
                server,
                () ->
                    new ChannelInboundHandlerAdapter() {
                      @Override
                      public void channelRead(ChannelHandlerContext ctx, Object message) {
                        if (flooded.incrementAndGet() == 100) {
                          flood.complete(null);
                        }
                        ctx.writeAndFlush(message);
                      }
                    })
            .sync()
            .channel();
    flooding.writeAndFlush(Unpooled.wrappedBuffer(new byte[1 << 16]));
    flood.get(Harness.PATIENCE_SECONDS, TimeUnit.SECONDS);
    try (Echoes echoes = new Echoes(shared)) {
      for (int i = 0; i < 10; i++) {
        int before = flooded.get();
        assertEquals("x", echoes.ask("x"));
        Harness.await().until(() -> flooded.get() > before);
      }
    }
    group.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
  }

  /** Netty's loop counts its channels for itself alone. */
  @ParameterizedTest
  @EnumSource
  void registeredChannelsAreKnown(LoopGroups groups) throws Exception {
    EventLoopGroup group = groups.start();
    try (Echoes echoes = new Echoes(group)) {
      SingleThreadEventLoop loop = (SingleThreadEventLoop) echoes.loop();
      if (groups == LoopGroups.NETTY) {
        assertEquals(-1, loop.registeredChannels());
        assertThrows(UnsupportedOperationException.class, loop::registeredChannelsIterator);
      } else {
        assertEquals(1, loop.registeredChannels());
        assertTrue(loop.submit(() -> loop.registeredChannelsIterator().next().isActive()).get());
      }
    }
  }
}
