package dev.mely.netty;

import static dev.mely.annotation.Access.READ;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.mely.Permissions;
import dev.mely.annotation.Color;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.string.StringDecoder;
import io.netty.handler.codec.string.StringEncoder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** docs/netty.md, handlers with permissions: its Java runs here. */
@Timeout(300)
class PermissionsGuideTest {
  @SuppressWarnings("deprecation")
  private static void addOrders(MelyEventLoopGroup group, ChannelPipeline pipeline) {
    Permissions books = Permissions.read(group.color("prices")).andWrite(group.color("orders"));
    pipeline.addLast(group.executor(books), new OrderHandler());
  }

  private static void tea(MelyEventLoopGroup group) {
    group.executor("prices").execute(() -> Prices.TODAY.put("tea", 3));
  }

  @Test
  void pricesAreReadAndOrdersAreWritten() throws Exception {
    MelyEventLoopGroup group = MelyEventLoopGroup.builder().cores(2).build();
    try (Harness harness =
        Harness.colored(
            group,
            channel -> {
              ColoredInitializer.colored(channel.pipeline())
                  .addLast(new StringDecoder(), new StringEncoder());
              addOrders(group, channel.pipeline());
              return new ChannelHandler[] {new QuoteHandler()};
            })) {
      tea(group);
      for (int i = 0; i < 3; i++) {
        Harness.Client client = harness.connect();
        client.send("tea");
        assertEquals("tea 3\n", client.await(6));
      }
      assertEquals(
          List.of("tea", "tea", "tea"),
          group.executor("orders").submit(() -> List.copyOf(OrderHandler.ORDERS)).get());
    }
  }
}

class Prices {
  static final Map<String, Integer> TODAY = new HashMap<>(); // no lock
}

@Color(value = "prices", access = READ)
class QuoteHandler extends SimpleChannelInboundHandler<String> {
  @Override
  protected void channelRead0(ChannelHandlerContext ctx, String item) {
    ctx.writeAndFlush(item + " " + Prices.TODAY.get(item) + "\n");
  }
}

/** Of the colors "prices", to read, and "orders". */
class OrderHandler extends SimpleChannelInboundHandler<String> {
  static final List<String> ORDERS = new ArrayList<>();

  @Override
  protected void channelRead0(ChannelHandlerContext ctx, String item) {
    if (Prices.TODAY.containsKey(item)) {
      ORDERS.add(item);
    }
    ctx.fireChannelRead(item);
  }
}
