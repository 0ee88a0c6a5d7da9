package dev.mely.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.Color;
import dev.mely.Mely;
import dev.mely.Permissions;
import dev.mely.StealPolicy;
import dev.mely.kit.NullArguments;
import dev.mely.netty.grpc.CallColors;
import dev.mely.netty.monitor.MelyMonitor;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.nio.NioIoHandler;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** An argument that must not be null is named by the exception. */
@Timeout(300)
class NullArgumentsTest {
  @Test
  void eachParameterIsNamed() throws Exception {
    MelyEventLoopGroup group = MelyEventLoopGroup.builder().cores(1).build();
    EmbeddedChannel channel = new EmbeddedChannel();
    try {
      Color color = group.mely().newColor();
      NullArguments check =
          new NullArguments()
              .value(Mely.class, group::mely)
              .value(Color.class, () -> color)
              .value(Permissions.class, () -> Permissions.read(color))
              .value(StealPolicy.class, () -> StealPolicy.ALL)
              .value(MelyEventLoopGroup.class, () -> group)
              .value(MelyEventLoopGroupBuilder.class, MelyEventLoopGroup::builder)
              .value(OffloadHandler.class, () -> OffloadHandler.of((ctx, message) -> {}))
              .value(KeyedHandler.class, () -> new KeyedHandler(m -> m, (ctx, message) -> {}))
              .value(
                  StreamInitializer.class,
                  () ->
                      new StreamInitializer(
                          new ChannelInitializer<Channel>() {
                            @Override
                            protected void initChannel(Channel stream) {}
                          }))
              .value(ChannelPipeline.class, channel::pipeline)
              .value(MelyMonitor.class, MelyMonitor::new)
              .value(IoHandlerFactory.class, NioIoHandler::newFactory)
              .value(InetSocketAddress.class, () -> new InetSocketAddress("127.0.0.1", 0))
              .value(CallColors.class, () -> CallColors.perCall(group.mely()));
      List<String> faults = check.faults();
      assertEquals("", String.join("\n", faults));
      assertTrue(check.calls() > 30, () -> check.calls() + " calls");
    } finally {
      channel.close();
      group.shutdownGracefully(0, 10, TimeUnit.SECONDS).syncUninterruptibly();
    }
  }

  @Test
  void aHandlerAmongSeveralIsNamed() {
    ChannelHandler[] none = {null};
    assertEquals(
        "handler",
        assertThrows(NullPointerException.class, () -> OffloadHandler.of(none)).getMessage());
  }
}
