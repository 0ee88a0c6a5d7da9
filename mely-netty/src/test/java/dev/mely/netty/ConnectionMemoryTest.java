package dev.mely.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.Migrating;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a connection costs in heap and descriptors, while it lives and afterwards. */
@Timeout(300)
class ConnectionMemoryTest {
  /** Bytes beyond Netty's channel and the part of the loop that is Netty's superclass. */
  private static final long MOST_OWN_BYTES = 384;

  /** Bytes beyond Netty's channel. */
  private static final long MOST_BYTES = 768;

  private static final int WAVES = 10;
  private static final int WAVE = 200;

  @Test
  void aConnectionTakesAFewHundredBytesMoreThanOnNettysGroup() throws Exception {
    String output =
        ChildJvm.run(
            System.getProperty("java.class.path"), List.of("-Xmx256m"), ConnectionBytes.class);
    Map<String, Long> bytes = new HashMap<>();
    output
        .lines()
        .map(line -> line.split(" "))
        .filter(words -> words.length == 2)
        .forEach(words -> bytes.put(words[0], Long.valueOf(words[1])));
    long more = bytes.get("mely") - bytes.get("stock");
    long own = more - bytes.get("loop");
    System.out.printf("bytes per connection: %d more than stock, %d of them own%n", more, own);
    assertTrue(bytes.get("stock") > 500 && bytes.get("loop") > 100, output); // measured at all
    assertTrue(own > 100 && own <= MOST_OWN_BYTES, output);
    assertTrue(more <= MOST_BYTES, output);
  }

  @ParameterizedTest
  @EnumSource
  void connectionsThatHaveGoneLeaveNeitherHeapNorDescriptors(Io io) throws Exception {
    comeAndGo(io, WAVES);
  }

  /** Opens and closes connections in waves; the first one warms up. */
  static void comeAndGo(Io io, int waves) throws Exception {
    MelyEventLoopGroup group = io.builder().cores(2).runtime(Migrating.by(41)).build();
    try (Harness harness = new Harness(group, Harness.Echo::new)) {
      wave(harness);
      long descriptors = Descriptors.open();
      long heap = usedHeap();
      for (int i = 0; i < waves; i++) {
        wave(harness);
        // The JDK closes a socket when its selector has looked once more.
        Harness.await().until(() -> Descriptors.open() <= descriptors);
        assertEquals(1, group.groupState().registrations()); // the server
      }
      Harness.await().until(() -> group.groupState().pendingRegistrations().size() == 0);
      long grown = usedHeap() - heap;
      int connections = 2 * waves * WAVE;
      System.out.printf(
          "%s: %d bytes more than %d, and %d descriptors, after %d connections%n",
          io, grown, heap, descriptors, waves * WAVE);
      // Netty's pooled buffers and JIT data come and go; a leak of one object each would show.
      assertTrue(grown < Math.max(4_000_000, 50L * connections), () -> grown + " bytes are left");
    }
  }

  private static void wave(Harness harness) throws Exception {
    Bootstrap clients =
        new Bootstrap()
            .group(harness.group)
            .channel(harness.group.socketChannelType())
            .handler(
                new ChannelInitializer<>() {
                  @Override
                  protected void initChannel(Channel channel) {
                    channel.pipeline().addLast(new Closing());
                  }
                });
    List<ChannelFuture> closed = new ArrayList<>();
    for (int i = 0; i < WAVE; i++) {
      closed.add(clients.connect(harness.server.localAddress()).sync().channel().closeFuture());
    }
    for (ChannelFuture end : closed) {
      assertTrue(end.await(120, TimeUnit.SECONDS));
    }
    Awaitility.await()
        .atMost(120, TimeUnit.SECONDS)
        .until(() -> harness.group.groupState().registrations() == 1);
    harness.accepted.clear();
  }

  private static long usedHeap() throws InterruptedException {
    for (int i = 0; i < 3; i++) {
      System.gc();
      Thread.sleep(10);
    }
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }

  /** Sends something, and closes when it comes back. */
  private static final class Closing extends ChannelInboundHandlerAdapter {
    @Override
    public void channelActive(ChannelHandlerContext ctx) {
      ctx.writeAndFlush(ctx.alloc().buffer(1).writeByte(1));
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      io.netty.util.ReferenceCountUtil.release(message);
      ctx.close();
    }
  }
}
