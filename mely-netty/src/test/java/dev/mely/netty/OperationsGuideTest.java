package dev.mely.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.annotation.Color;
import dev.mely.jmx.MelyManagement;
import dev.mely.netty.metrics.MelyMetrics;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.codec.string.StringDecoder;
import io.netty.handler.codec.string.StringEncoder;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import jdk.jfr.Recording;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** docs/netty.md: handlers with their own color, metrics and diagnosis. See {@link GuideTest}. */
@Timeout(300)
class OperationsGuideTest {
  static class TenantHandler extends ChannelInboundHandlerAdapter {}

  private static void configure(ServerBootstrap bootstrap) {
    bootstrap.childHandler(
        new ColoredInitializer<SocketChannel>() {
          @Override
          protected void initChannel(SocketChannel channel, ChannelPipeline pipeline) {
            pipeline.addLast(new StringDecoder(), new StringEncoder());
            pipeline.addLast(new PageCacheHandler());
          }
        });
  }

  @SuppressWarnings("deprecation")
  private static void tenant(MelyEventLoopGroup group, ChannelPipeline pipeline, String tenant) {
    pipeline.addLast(group.executor("tenant-" + tenant), new TenantHandler());
  }

  private static void later(ChannelHandlerContext ctx) {
    ColoredInitializer.colored(ctx.pipeline()).addLast(new PageCacheHandler());
  }

  @Test
  void thePageCacheCounts() throws Exception {
    MelyEventLoopGroup group = MelyEventLoopGroup.builder().cores(2).build();
    SimpleMeterRegistry registry = new SimpleMeterRegistry();
    new MelyMetrics(group, Tags.of("group", "http")).bindTo(registry);
    MelyManagement bean = MelyManagement.register(group.mely(), "http");
    try {
      ServerBootstrap bootstrap =
          new ServerBootstrap().group(group).channel(group.serverSocketChannelType());
      configure(bootstrap);
      InetSocketAddress address =
          (InetSocketAddress)
              bootstrap
                  .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                  .sync()
                  .channel()
                  .localAddress();
      for (int i = 1; i <= 3; i++) {
        try (Socket socket = new Socket(address.getAddress(), address.getPort())) {
          socket.setSoTimeout(120_000);
          socket.getOutputStream().write("index".getBytes(StandardCharsets.US_ASCII));
          BufferedReader lines =
              new BufferedReader(
                  new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
          assertEquals("index " + i, lines.readLine());
        }
      }
      System.err.println(group.dump());
      assertTrue(registry.get("mely.lag").timers().size() == 2);
    } finally {
      bean.close();
      group.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
    }
  }

  @Test
  void handlersAddedByHandAndLaterHaveTheirColors() throws Exception {
    MelyEventLoopGroup group = MelyEventLoopGroup.builder().cores(1).build();
    try (Harness harness = new Harness(group, Harness.Echo::new)) {
      ChannelPipeline pipeline = harness.connect().peer.pipeline();
      tenant(group, pipeline, "a");
      later(pipeline.firstContext());
      assertEquals(group.executor("tenant-a"), pipeline.context(TenantHandler.class).executor());
      assertEquals(
          group.executor("page-cache"), pipeline.context(PageCacheHandler.class).executor());
    }
  }

  @Test
  void theRecordingStarts() {
    Recording recording = new Recording();
    recording.enable("dev.mely.SlowHandler").withThreshold(Duration.ofMillis(2));
    recording.start();
    String threshold = recording.getSettings().get("dev.mely.SlowHandler#threshold");
    assertTrue(threshold.equals("2 ms") || threshold.equals("2000000 ns"), threshold);
    recording.close();
  }
}

@Color("page-cache")
class PageCacheHandler extends SimpleChannelInboundHandler<String> {
  private static final Map<String, Integer> HITS = new HashMap<>(); // no lock

  @Override
  protected void channelRead0(ChannelHandlerContext ctx, String page) {
    ctx.writeAndFlush(page + " " + HITS.merge(page, 1, Integer::sum) + "\n");
  }
}
