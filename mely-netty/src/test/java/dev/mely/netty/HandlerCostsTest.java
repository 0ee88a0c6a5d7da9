package dev.mely.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.annotation.Cost;
import dev.mely.annotation.Penalty;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.embedded.EmbeddedChannel;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** N4: annotations on handlers reach the heuristics. */
@Timeout(300)
class HandlerCostsTest {
  @Cost(nanos = 40_000)
  @Penalty(3)
  static class Declared extends Harness.Echo {}

  static class OnMethods extends Harness.Echo {
    @Override
    @Cost(nanos = 5_000)
    @Penalty(2)
    public void channelRead(ChannelHandlerContext ctx, Object message) throws Exception {
      super.channelRead(ctx, message);
    }

    @Override
    @Cost(nanos = 700)
    public void channelReadComplete(ChannelHandlerContext ctx) {
      ctx.fireChannelReadComplete();
    }
  }

  static class Overriding extends OnMethods {
    @Override
    @Cost(nanos = 1)
    public void channelRead(ChannelHandlerContext ctx, Object message) throws Exception {
      super.channelRead(ctx, message);
    }
  }

  private static HandlerCosts of(ChannelInboundHandlerAdapter... handlers) {
    EmbeddedChannel channel = new EmbeddedChannel(handlers);
    try {
      return PipelineCosts.of(channel.pipeline());
    } finally {
      channel.close();
    }
  }

  @Test
  void costsAddUpAndTheHighestPenaltyCounts() {
    assertEquals(
        new HandlerCosts(Duration.ofNanos(45_700), 3), of(new Declared(), new OnMethods()));
  }

  @Test
  void overriddenMethodsDoNotCount() {
    assertEquals(new HandlerCosts(Duration.ofNanos(701), 1), of(new Overriding()));
  }

  @Test
  void aPipelineWithoutAnnotationsIsMeasured() {
    assertSame(HandlerCosts.UNKNOWN, of(new Harness.Echo()));
  }

  @ParameterizedTest
  @EnumSource
  void theyReachTheHandlerOfTheColor(Io io) throws Exception {
    try (Harness harness = new Harness(io.builder().cores(1).build(), Declared::new)) {
      Harness.Client client = harness.connect();
      client.send("a");
      client.await(1);
      client.send("b"); // after the first has been handled for sure
      client.await(1);
      ReadyHandler handler = Harness.readyHandler(client.peer);
      assertEquals(40_000, handler.costNanos());
      assertEquals(3, handler.penalty());
    }
  }

  @ParameterizedTest
  @EnumSource
  void aPipelineThatChangesIsReadAgain(Io io) throws Exception {
    class Switching extends ChannelInitializer<Channel> {
      @Override
      protected void initChannel(Channel channel) {
        channel
            .pipeline()
            .addLast(
                new ChannelInboundHandlerAdapter() {
                  @Override
                  public void channelRead(ChannelHandlerContext ctx, Object message) {
                    ctx.pipeline().addLast(new Declared());
                    ctx.fireChannelRead(message);
                    ctx.pipeline().remove(this);
                  }
                });
      }
    }
    try (Harness harness = new Harness(io.builder().cores(1).build(), Switching::new)) {
      Harness.Client client = harness.connect();
      for (int i = 0; i < 3; i++) {
        client.send("a");
        client.await(1);
      }
      assertEquals(40_000, Harness.readyHandler(client.peer).costNanos());
    }
  }

  @Test
  void whatIsNotDeclaredIsMeasured() throws Exception {
    try (Harness harness = new Harness(Io.NIO.builder().cores(1).build(), Harness.Echo::new)) {
      Harness.Client client = harness.connect();
      for (int i = 0; i < 20; i++) {
        client.send("a");
        client.await(1);
      }
      assertTrue(Harness.readyHandler(client.peer).costNanos() > 0);
      assertEquals(1, Harness.readyHandler(client.peer).penalty());
    }
  }
}
