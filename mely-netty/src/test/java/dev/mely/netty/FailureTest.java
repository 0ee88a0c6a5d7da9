package dev.mely.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.util.ReferenceCountUtil;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** N6: what goes wrong goes wrong as in any event loop group, also while colors move. */
@Timeout(90)
class FailureTest {
  @ParameterizedTest
  @EnumSource
  void aHandlerThatThrowsIsToldOnceAndGoesOn(Io io) throws Exception {
    AtomicInteger caught = new AtomicInteger();
    class Throwing extends ChannelInboundHandlerAdapter {
      @Override
      public void channelRead(ChannelHandlerContext ctx, Object message) throws Exception {
        String text = ((ByteBuf) message).toString(StandardCharsets.US_ASCII);
        if (text.equals("exception")) {
          ReferenceCountUtil.release(message);
          throw new IllegalStateException("planted");
        }
        if (text.equals("error")) {
          ReferenceCountUtil.release(message);
          throw new AssertionError("planted");
        }
        ctx.writeAndFlush(message);
      }

      @Override
      public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        caught.incrementAndGet();
        ctx.writeAndFlush(Unpooled.copiedBuffer("caught", StandardCharsets.US_ASCII));
      }
    }
    try (Harness harness =
        new Harness(io.builder().cores(2).randomMigration(2).build(), Throwing::new)) {
      Harness.Client client = harness.connect();
      for (int i = 0; i < 10; i++) {
        client.send("exception");
        assertEquals("caught", client.await(6));
        client.send("error");
        assertEquals("caught", client.await(6));
        client.send("fine");
        assertEquals("fine", client.await(4));
      }
      assertEquals(20, caught.get());
    }
  }

  /** Connections come and go in a flood; each end hears of its life once, in order. */
  @ParameterizedTest
  @EnumSource
  void aFloodOfConnectionsLeavesNothingBehind(Io io) throws Exception {
    Map<Channel, Queue<String>> lives = new ConcurrentHashMap<>();
    class Life extends Harness.Echo {
      private void note(ChannelHandlerContext ctx, String event) {
        lives.computeIfAbsent(ctx.channel(), c -> new ConcurrentLinkedQueue<>()).add(event);
      }

      @Override
      public void channelRegistered(ChannelHandlerContext ctx) {
        note(ctx, "registered");
      }

      @Override
      public void channelActive(ChannelHandlerContext ctx) {
        note(ctx, "active");
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
      public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        ctx.close();
      }
    }
    MelyEventLoopGroup group = io.builder().cores(3).randomMigration(4).build();
    try (Harness harness = new Harness(group, Life::new)) {
      List<Harness.Client> clients = new ArrayList<>();
      for (int i = 0; i < 300; i++) {
        Harness.Client client = harness.connect();
        clients.add(client);
        client.send("hello");
      }
      for (int i = 0; i < clients.size(); i++) {
        Harness.Client client = clients.get(i);
        switch (i % 4) {
          case 0 -> client.channel.close(); // with data on its way back: often a reset
          case 1 -> client.peer.close(); // from a thread outside of the color
          case 2 -> {
            client.channel.config().setOption(ChannelOption.SO_LINGER, 0);
            client.channel.close(); // a reset
          }
          default -> {
            client.await(5);
            client.channel.close();
          }
        }
      }
      Awaitility.await()
          .atMost(Harness.PATIENCE_SECONDS, TimeUnit.SECONDS)
          .until(() -> group.engine().registrations() == 1); // the server
      Awaitility.await()
          .atMost(Harness.PATIENCE_SECONDS, TimeUnit.SECONDS)
          .until(() -> lives.values().stream().allMatch(life -> life.contains("unregistered")));
      assertEquals(300, lives.size());
      for (Queue<String> life : lives.values()) {
        assertEquals(
            List.of("registered", "active", "inactive", "unregistered"), List.copyOf(life));
      }
    }
  }

  /** Every promise of a write completes, once, though the connection is reset in between. */
  @ParameterizedTest
  @EnumSource
  void aResetFailsPendingWrites(Io io) throws Exception {
    AtomicInteger completed = new AtomicInteger();
    int writes = 500;
    class Flood extends ChannelInboundHandlerAdapter {
      @Override
      public void channelRead(ChannelHandlerContext ctx, Object message) {
        ReferenceCountUtil.release(message);
        for (int i = 0; i < writes; i++) {
          ctx.writeAndFlush(ctx.alloc().buffer(64 * 1024).writeZero(64 * 1024))
              .addListener(future -> completed.incrementAndGet());
        }
      }

      @Override
      public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        ctx.close();
      }
    }
    try (Harness harness =
        new Harness(io.builder().cores(2).randomMigration(6).build(), Flood::new)) {
      Harness.Client client = harness.connect();
      client.channel.config().setAutoRead(false);
      client.send("go");
      Awaitility.await().until(() -> completed.get() > 0);
      client.channel.config().setOption(ChannelOption.SO_LINGER, 0);
      client.channel.close().sync();
      client.peer.closeFuture().sync();
      Awaitility.await()
          .atMost(Harness.PATIENCE_SECONDS, TimeUnit.SECONDS)
          .untilAsserted(() -> assertEquals(writes, completed.get()));
    }
  }

  /** Back-pressure: writability follows a slow reader, and other channels do not notice. */
  @ParameterizedTest
  @EnumSource
  void aSlowReaderTogglesWritability(Io io) throws Exception {
    int bytes = 8 * 1024 * 1024;
    Queue<Boolean> changes = new ConcurrentLinkedQueue<>();
    CountDownLatch full = new CountDownLatch(1);
    class Pump extends Harness.Echo {
      private int left;

      @Override
      public void channelRead(ChannelHandlerContext ctx, Object message) throws Exception {
        if (((ByteBuf) message).toString(StandardCharsets.US_ASCII).equals("pump")) {
          ReferenceCountUtil.release(message);
          ctx.channel()
              .config()
              .setWriteBufferWaterMark(new WriteBufferWaterMark(64 * 1024, 128 * 1024));
          left = bytes;
          pump(ctx);
        } else {
          super.channelRead(ctx, message);
        }
      }

      private void pump(ChannelHandlerContext ctx) {
        while (left > 0 && ctx.channel().isWritable()) {
          left -= 16 * 1024;
          ctx.writeAndFlush(ctx.alloc().buffer(16 * 1024).writeZero(16 * 1024));
        }
      }

      @Override
      public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        boolean writable = ctx.channel().isWritable();
        changes.add(writable);
        if (!writable) {
          full.countDown();
        }
        pump(ctx);
      }
    }
    try (Harness harness =
        new Harness(io.builder().cores(2).randomMigration(8).build(), Pump::new)) {
      Harness.Client slow = harness.connect();
      Harness.Client other = harness.connect();
      slow.channel.config().setAutoRead(false);
      slow.send("pump");
      assertTrue(full.await(Harness.PATIENCE_SECONDS, TimeUnit.SECONDS));
      for (int i = 0; i < 100; i++) {
        other.send("quick");
        assertEquals("quick", other.await(5));
      }
      long pending = slow.peer.bytesBeforeWritable();
      assertTrue(pending > 0 && pending < 1024 * 1024, () -> pending + " bytes are held");
      slow.channel.config().setAutoRead(true);
      assertEquals(bytes, slow.await(bytes).length());
      assertTrue(changes.contains(true), "writable again");
      assertTrue(changes.contains(false), "not writable for a while");
    }
  }

  @ParameterizedTest
  @EnumSource
  void aChannelIsClosedOnceWhoeverClosesIt(Io io) throws Exception {
    AtomicInteger inactive = new AtomicInteger();
    class Counting extends Harness.Echo {
      @Override
      public void channelInactive(ChannelHandlerContext ctx) {
        inactive.incrementAndGet();
      }
    }
    try (Harness harness =
        new Harness(io.builder().cores(3).randomMigration(9).build(), Counting::new)) {
      for (int i = 0; i < 50; i++) {
        Harness.Client client = harness.connect();
        client.send("busy");
        List<ChannelFuture> closes = new ArrayList<>();
        for (int k = 0; k < 3; k++) {
          closes.add(client.peer.close());
        }
        client.channel.close();
        for (ChannelFuture close : closes) {
          assertTrue(close.sync().isSuccess());
        }
        assertFalse(client.peer.isOpen());
        client.peer.eventLoop().submit(() -> {}).sync();
      }
      Awaitility.await().untilAsserted(() -> assertEquals(50, inactive.get()));
    }
  }
}
