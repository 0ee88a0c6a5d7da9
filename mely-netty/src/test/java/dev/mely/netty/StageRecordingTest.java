package dev.mely.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.annotation.Allocates;
import dev.mely.annotation.Frees;
import dev.mely.stage.StageGraph;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** What is recorded of pipelines: the handlers of a channel's own color are one stage. */
class StageRecordingTest {
  @Allocates(value = "line", bytes = 80)
  private static final class Splitter extends ChannelInboundHandlerAdapter {}

  @Frees("line")
  private static final class Answerer extends ChannelInboundHandlerAdapter {
    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      ctx.writeAndFlush(message);
    }
  }

  private static final class Elsewhere extends ChannelInboundHandlerAdapter {
    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      ctx.fireChannelRead(message); // Netty passes over handlers that have nothing of their own
    }
  }

  /** No number that differs from run to run, which no plan could name. */
  @Test
  void messagesForAFunctionAreNamedByTheClassThatItIsWrittenIn() {
    OffloadHandler.MessageHandler function = (ctx, message) -> {};
    assertEquals(
        "messages of StageRecordingTest", OffloadStep.Runner.of(function.getClass()).toString());
  }

  @Test
  @SuppressWarnings("deprecation") // a handler with an executor of its own
  void aPipelineIsAStageAndColorsOfItsOwnAreOthers() throws Exception {
    MelyEventLoopGroup group =
        MelyEventLoopGroup.builder().cores(1).runtime(mely -> mely.recordStages(true)).build();
    try {
      Channel server =
          new ServerBootstrap()
              .group(group)
              .channel(NioServerSocketChannel.class)
              .childHandler(
                  new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel channel) {
                      channel
                          .pipeline()
                          .addLast(new Splitter())
                          .addLast(group.executor("cache"), new Elsewhere())
                          .addLast(new Answerer());
                    }
                  })
              .bind("127.0.0.1", 0)
              .sync()
              .channel();
      try (Socket client = new Socket()) {
        client.setSoTimeout(120_000);
        client.connect(new InetSocketAddress("127.0.0.1", port(server)));
        client.getOutputStream().write("hello".getBytes(StandardCharsets.UTF_8));
        InputStream answer = client.getInputStream();
        assertEquals("hello", new String(answer.readNBytes(5), StandardCharsets.UTF_8));
      }
    } finally {
      group.shutdownGracefully(0, 60, TimeUnit.SECONDS).await(120, TimeUnit.SECONDS);
    }
    StageGraph graph = group.mely().inspect().stages();
    StageGraph.Stage io = stage(graph, "I/O of NioSocketChannel");
    assertEquals(List.of("StageRecordingTest$Splitter", "StageRecordingTest$Answerer"), io.parts());
    assertTrue(io.runs() > 0, graph::toString);
    assertTrue(stage(graph, "tasks of cache").runs() > 0, graph::toString);
    assertTrue(stage(graph, "I/O of NioServerSocketChannel").runs() > 0, graph::toString);
    assertTrue(
        graph.edges().stream()
            .anyMatch(e -> e.from().equals(io.name()) && e.to().equals("tasks of cache")),
        graph::toString);
    assertTrue(
        graph.edges().stream()
            .anyMatch(e -> e.from().equals(StageGraph.OUTSIDE) && e.to().equals(io.name())),
        graph::toString);
    StageGraph.Allocation line = graph.allocations().get(0);
    assertEquals("line", line.name());
    assertEquals(80, line.bytes());
    assertEquals(io.name(), line.freedBy().get(0).stage());
  }

  /** Buffers of the allocator show up by their sizes, without an annotation. */
  @Test
  void buffersOfTheAllocatorAreObjects() throws Exception {
    MelyEventLoopGroup group =
        MelyEventLoopGroup.builder()
            .cores(1)
            .workingSet(1 << 20)
            .runtime(mely -> mely.recordStages(true))
            .build();
    StingyAllocator allocator = Objects.requireNonNull(group.allocator());
    AtomicReference<ByteBuf> kept = new AtomicReference<>();
    try {
      Channel server =
          new ServerBootstrap()
              .group(group)
              .channel(NioServerSocketChannel.class)
              .childHandler(
                  new ChannelInboundHandlerAdapter() {
                    @Override
                    public void channelRead(ChannelHandlerContext ctx, Object message) {
                      assertSame(allocator, ctx.alloc());
                      ctx.alloc().directBuffer(4_000).release();
                      ctx.alloc().directBuffer(70_000).release();
                      ByteBuf before = kept.getAndSet(ctx.alloc().directBuffer(30_000));
                      if (before != null) {
                        before.release();
                      }
                      ctx.writeAndFlush(message);
                    }
                  })
              .bind("127.0.0.1", 0)
              .sync()
              .channel();
      try (Socket client = new Socket()) {
        client.setSoTimeout(120_000);
        client.connect(new InetSocketAddress("127.0.0.1", port(server)));
        for (int i = 0; i < 3; i++) {
          client.getOutputStream().write('a' + i);
          assertEquals('a' + i, client.getInputStream().read());
        }
      }
    } finally {
      group.shutdownGracefully(0, 60, TimeUnit.SECONDS).await(120, TimeUnit.SECONDS);
      kept.get().release();
    }
    StageGraph graph = group.mely().inspect().stages();
    StageGraph.Allocation small = allocation(graph, "buffer-4096");
    assertEquals(4096, small.bytes(), "a whole block");
    assertEquals(
        List.of(new StageGraph.Site(IO, 3, small.allocatedBy().get(0).order())),
        small.allocatedBy());
    assertEquals(3, small.freedBy().get(0).times());
    assertTrue(small.countKnown(), "each run has freed it");
    assertEquals(70_000, allocation(graph, "buffer-131072").bytes(), "as it is: no block");
    assertFalse(allocation(graph, "buffer-32768").countKnown(), "one outlives its run");
    assertEquals(0, allocator.liveBytes());
  }

  private static final String IO = "I/O of NioSocketChannel";

  private static StageGraph.Allocation allocation(StageGraph graph, String name) {
    return graph.allocations().stream()
        .filter(a -> a.name().equals(name))
        .findFirst()
        .orElseThrow(() -> new AssertionError("no " + name + " in " + graph));
  }

  private static int port(Channel server) {
    return ((InetSocketAddress) server.localAddress()).getPort();
  }

  private static StageGraph.Stage stage(StageGraph graph, String name) {
    return graph.stages().stream()
        .filter(stage -> stage.name().equals(name))
        .findFirst()
        .orElseThrow(() -> new AssertionError("no " + name + " in " + graph));
  }
}
