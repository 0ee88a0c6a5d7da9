package dev.mely.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.Migrating;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.DuplexChannel;
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
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** N6: failure modes 7 to 11: what the other end, or the machine, does to a connection. */
@Timeout(300)
class ConnectionFailureModesTest {
  /** See {@link FewDescriptors}, which runs in a virtual machine of its own. */
  @ParameterizedTest
  @EnumSource
  void mode07AcceptBacksOffWithoutDescriptorsAndRecovers(Io io) throws Exception {
    String output =
        ChildJvm.run(
            List.of("sh", "-c", "ulimit -n 256; exec \"$@\"", "sh"),
            System.getProperty("java.class.path"),
            List.of("-Dorg.slf4j.simpleLogger.defaultLogLevel=off"),
            FewDescriptors.class,
            io.name());
    assertTrue(output.contains("accept failed"), output);
    assertTrue(output.contains("recovered"), output);
    long polls =
        Long.parseLong(
            output
                .lines()
                .filter(l -> l.startsWith("polls "))
                .findFirst()
                .orElseThrow()
                .substring(6));
    assertTrue(polls < 5_000, () -> polls + " polls in a second without descriptors");
  }

  /** Connections come and go in a flood; each end hears of its life once, in order. */
  @ParameterizedTest
  @EnumSource
  void mode08AFloodThenAMassCloseLeavesNothingBehind(Io io) throws Exception {
    Map<Channel, Queue<String>> lives = new ConcurrentHashMap<>();
    class WholeLife extends Life {
      WholeLife() {
        super(lives);
      }

      @Override
      public void channelRegistered(ChannelHandlerContext ctx) {
        note(ctx, "registered");
      }

      @Override
      public void channelActive(ChannelHandlerContext ctx) {
        note(ctx, "active");
      }
    }
    MelyEventLoopGroup group = io.builder().cores(3).runtime(Migrating.by(4)).build();
    try (Harness harness = new Harness(group, WholeLife::new)) {
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
      Harness.await().until(() -> group.groupState().registrations() == 1); // the server
      Harness.await()
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
  void mode11AResetFailsPendingWritesAndReleasesThem(Io io) throws Exception {
    AtomicInteger completed = new AtomicInteger();
    Queue<ByteBuf> written = new ConcurrentLinkedQueue<>();
    int writes = 500;
    class Flood extends ChannelInboundHandlerAdapter {
      @Override
      public void channelRead(ChannelHandlerContext ctx, Object message) {
        ReferenceCountUtil.release(message);
        for (int i = 0; i < writes; i++) {
          ByteBuf bytes = ctx.alloc().buffer(64 * 1024).writeZero(64 * 1024);
          written.add(bytes);
          ctx.writeAndFlush(bytes).addListener(future -> completed.incrementAndGet());
        }
      }

      @Override
      public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        ctx.close();
      }
    }
    try (Harness harness =
        new Harness(io.builder().cores(2).runtime(Migrating.by(6)).build(), Flood::new)) {
      Harness.Client client = harness.connect();
      client.channel.config().setAutoRead(false);
      client.send("go");
      Harness.await().until(() -> completed.get() > 0);
      client.channel.config().setOption(ChannelOption.SO_LINGER, 0);
      client.channel.close().sync();
      client.peer.closeFuture().sync();
      Harness.await().untilAsserted(() -> assertEquals(writes, completed.get()));
      assertEquals(writes, written.size());
      written.forEach(bytes -> assertEquals(0, bytes.refCnt()));
    }
  }

  /** Back-pressure: writability follows a slow reader, and other channels do not notice. */
  @ParameterizedTest
  @EnumSource
  void mode09ASlowReaderTogglesWritability(Io io) throws Exception {
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
          // Else some kernels would take it all.
          ctx.channel().config().setOption(ChannelOption.SO_SNDBUF, 64 * 1024);
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
        new Harness(io.builder().cores(2).runtime(Migrating.by(8)).build(), Pump::new)) {
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

  /** First one direction, then the other: data still flows the way that is open. */
  @ParameterizedTest
  @EnumSource
  void mode10EachDirectionClosesByItself(Io io) throws Exception {
    for (boolean clientFirst : new boolean[] {true, false}) {
      Queue<String> events = new ConcurrentLinkedQueue<>();
      class HalfOpen extends Harness.Echo {
        @Override
        public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
          if (event instanceof ChannelInputShutdownEvent) {
            events.add("input shut down");
          }
        }

        @Override
        public void channelInactive(ChannelHandlerContext ctx) {
          events.add("inactive");
        }
      }
      MelyEventLoopGroup group = io.builder().cores(2).runtime(Migrating.by(14)).build();
      try (Harness harness = new Harness(group, HalfOpen::new)) {
        for (int i = 0; i < 10; i++) {
          events.clear();
          Harness.Client client = harness.connect();
          DuplexChannel near = (DuplexChannel) client.channel;
          DuplexChannel far = (DuplexChannel) client.peer;
          near.config().setOption(ChannelOption.ALLOW_HALF_CLOSURE, true);
          far.config().setOption(ChannelOption.ALLOW_HALF_CLOSURE, true);
          client.send("both");
          assertEquals("both", client.await(4));
          if (clientFirst) {
            near.shutdownOutput().sync();
            Harness.await().until(() -> events.contains("input shut down"));
            assertTrue(far.isInputShutdown() && far.isActive() && !far.isOutputShutdown());
            far.writeAndFlush(Unpooled.copiedBuffer("back", StandardCharsets.US_ASCII)).sync();
            assertEquals("back", client.await(4));
            far.shutdownOutput().sync();
          } else {
            far.shutdownOutput().sync();
            Harness.await().until(near::isInputShutdown);
            assertTrue(far.isOutputShutdown() && far.isActive() && !far.isInputShutdown());
            near.shutdownOutput().sync();
          }
          far.close().sync();
          near.close().sync();
          Harness.await().until(() -> events.contains("inactive"));
          assertEquals(1, events.stream().filter("inactive"::equals).count());
          assertTrue(events.stream().filter("input shut down"::equals).count() <= 1);
        }
      }
    }
  }

  @AfterAll
  static void noBufferIsLost() throws InterruptedException {
    LeakCounter.assertNoLeaks();
  }
}
