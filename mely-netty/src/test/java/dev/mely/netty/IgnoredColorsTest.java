package dev.mely.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.Permissions;
import dev.mely.annotation.Access;
import dev.mely.annotation.Color;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.io.InputStream;
import java.lang.invoke.MethodHandles;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A handler that names a color and does not get it is warned of, once for each class. */
@Timeout(300)
class IgnoredColorsTest {
  /** Held, or its handlers are forgotten. */
  private static final Logger LOGGER = Logger.getLogger("dev.mely.netty");

  private final Queue<String> warnings = new ConcurrentLinkedQueue<>();

  private final Handler log =
      new Handler() {
        @Override
        public void publish(LogRecord entry) {
          if (entry.getLevel() == Level.WARNING) {
            warnings.add(entry.getMessage());
          }
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
      };

  @BeforeEach
  void listen() {
    LOGGER.addHandler(log);
  }

  @AfterEach
  void stopListening() {
    LOGGER.removeHandler(log);
  }

  @ChannelHandler.Sharable
  @Color("shared")
  static class Writes extends ChannelInboundHandlerAdapter {}

  @ChannelHandler.Sharable
  @Color(value = "shared", access = Access.READ)
  static class Reads extends ChannelInboundHandlerAdapter {}

  /** A handler of a class that is new to the group. */
  private static ChannelHandler fresh(Class<?> model) throws ReflectiveOperationException {
    String file = model.getName().substring(model.getPackageName().length() + 1) + ".class";
    try (InputStream bytes = model.getResourceAsStream(file)) {
      return (ChannelHandler)
          MethodHandles.lookup()
              .defineHiddenClass(bytes.readAllBytes(), true)
              .lookupClass()
              .getDeclaredConstructor()
              .newInstance();
    } catch (IOException e) {
      throw new ReflectiveOperationException(e);
    }
  }

  private long warningsOf(ChannelHandler handler) {
    return warnings.stream().filter(w -> w.contains(handler.getClass().getName() + " ")).count();
  }

  private void awaitWarning(ChannelHandler handler) {
    Harness.await().until(() -> warningsOf(handler) == 1);
    String text =
        warnings.stream()
            .filter(w -> w.contains(handler.getClass().getName()))
            .findFirst()
            .orElseThrow();
    for (String part : List.of("@Color(\"shared\")", "ColoredInitializer", "group.executor(")) {
      assertTrue(text.contains(part), text);
    }
  }

  static List<Wire> wires() {
    return Wire.available();
  }

  /** Adds a handler to its pipeline when something comes. */
  @ChannelHandler.Sharable
  private static final class Adding extends ChannelInboundHandlerAdapter {
    private final ChannelHandler later;

    Adding(ChannelHandler later) {
      this.later = later;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      ReferenceCountUtil.release(message);
      if (ctx.pipeline().context(later) == null) {
        ctx.pipeline().addFirst(later);
      }
      ctx.writeAndFlush(Unpooled.copiedBuffer("x", StandardCharsets.US_ASCII));
    }
  }

  @ParameterizedTest
  @MethodSource("wires")
  void howeverAHandlerComesToAPlainPipeline(Wire wire) throws Exception {
    MelyEventLoopGroup group = wire.builder().cores(2).build();
    EventLoopGroup clients = wire.stock();
    ChannelHandler childs = fresh(Writes.class);
    ChannelHandler readers = fresh(Reads.class);
    ChannelHandler parents = fresh(Writes.class);
    ChannelHandler clientsOwn = fresh(Writes.class);
    ChannelHandler registered = fresh(Writes.class);
    ChannelHandler later = fresh(Writes.class);
    ChannelHandler given = fresh(Writes.class);
    ChannelHandler givenToRead = fresh(Reads.class);
    ChannelHandler colored = fresh(Writes.class);
    Channel server =
        wire.bind(
            group,
            new ChannelInitializer<>() {
              @Override
              @SuppressWarnings("deprecation") // Netty 4.2 keeps executors
              protected void initChannel(Channel channel) {
                ChannelPipeline pipeline = channel.pipeline();
                pipeline.addLast(childs).addLast(readers).addLast(new Adding(later));
                pipeline.addLast(group.executor("shared"), given);
                pipeline.addLast(
                    group.executor(Permissions.read(group.color("shared"))), givenToRead);
                ColoredInitializer.colored(pipeline).addLast(colored);
              }
            });
    Channel first =
        wire.connect(clients, server.localAddress(), new ChannelInboundHandlerAdapter());
    awaitWarning(childs);
    awaitWarning(readers);
    Channel client = wire.connect(group, server.localAddress(), clientsOwn);
    awaitWarning(clientsOwn);
    Channel alone = wire.newChannel();
    alone.pipeline().addLast(registered);
    EventLoop loop = group.next();
    loop.register(alone).sync();
    awaitWarning(registered);
    alone.close().sync();
    first.writeAndFlush(Unpooled.copiedBuffer("x", StandardCharsets.US_ASCII)).sync();
    client.close().sync();
    first.close().sync(); // it is found then at the latest
    awaitWarning(later);
    new ServerBootstrap()
        .group(group)
        .channelFactory(() -> (ServerChannel) newServer(wire, server))
        .handler(parents)
        .childHandler(new ChannelInboundHandlerAdapter())
        .register()
        .sync();
    awaitWarning(parents);
    clients.shutdownGracefully(0, 5, TimeUnit.SECONDS).sync();
    group.shutdownGracefully(0, 60, TimeUnit.SECONDS).sync();
    for (ChannelHandler one : List.of(childs, readers, parents, clientsOwn, registered, later)) {
      assertEquals(1, warningsOf(one), "once, though it was there for long");
    }
    for (ChannelHandler one : List.of(given, givenToRead, colored)) {
      assertEquals(0, warningsOf(one));
    }
  }

  /** A server channel of the same class as another. */
  private static Channel newServer(Wire wire, Channel server) {
    try {
      return server.getClass().getDeclaredConstructor().newInstance();
    } catch (ReflectiveOperationException e) {
      throw new AssertionError("no server of " + wire, e);
    }
  }

  /** A connection lives for long: what it adds is found while it is served. */
  @ParameterizedTest
  @MethodSource("wires")
  void whatIsAddedToARunningPipelineIsFoundThere(Wire wire) throws Exception {
    if (wire != Wire.NIO && wire != Wire.EPOLL) {
      return; // found when the channel leaves
    }
    ChannelHandler later = fresh(Writes.class);
    try (Harness harness = new Harness(wire.builder().cores(1).build(), () -> new Adding(later))) {
      Harness.Client client = harness.connect();
      for (int i = 0; i < 300 && warningsOf(later) == 0; i++) {
        client.send("x");
        assertEquals("x", client.await(1));
      }
      awaitWarning(later);
      assertTrue(client.channel.isActive());
    }
  }

  @Test
  void aGroupThatIsNoMelysIsNamed() throws Exception {
    ChannelHandler handler = fresh(Writes.class);
    EmbeddedChannel channel = new EmbeddedChannel();
    ColoredInitializer.colored(channel.pipeline()).addLast(handler);
    awaitWarning(handler);
    assertTrue(warnings.stream().anyMatch(w -> w.contains("in no MelyEventLoopGroup")));
    assertNotNull(channel.pipeline().context(handler));
    channel.close().sync();
  }

  @Test
  void aReplacementThatNamesAnotherColorIsWarnedOf() throws Exception {
    ChannelHandler[] handlers = {
      fresh(Writes.class), fresh(Writes.class), fresh(Reads.class), fresh(Writes.class)
    };
    MelyEventLoopGroup group = MelyEventLoopGroup.builder().cores(1).build();
    Channel channel = Wire.NIO.newChannel();
    group.register(channel).sync();
    ChannelPipeline pipeline = ColoredInitializer.colored(channel.pipeline());
    pipeline.addLast("a", handlers[0]);
    pipeline.replace("a", "b", handlers[1]);
    pipeline.replace(handlers[1], "c", handlers[2]);
    pipeline.addLast("plain", new ChannelInboundHandlerAdapter());
    pipeline.replace("plain", "plain", handlers[3]);
    assertEquals(0, warningsOf(handlers[1]), "the same color");
    awaitWarning(handlers[2]);
    awaitWarning(handlers[3]);
    channel.close().sync();
    group.shutdownGracefully(0, 60, TimeUnit.SECONDS).sync();
    assertEquals(0, warningsOf(handlers[0]));
  }

  /** A log that fails, and a class that cannot be read, cost the channel nothing. */
  @ParameterizedTest
  @MethodSource("wires")
  void aLogThatFailsCostsTheChannelNothing(Wire wire) throws Exception {
    Handler failing =
        new Handler() {
          @Override
          public void publish(LogRecord entry) {
            throw new StackOverflowError("planted");
          }

          @Override
          public void flush() {}

          @Override
          public void close() {}
        };
    LOGGER.addHandler(failing);
    MelyEventLoopGroup group = wire.builder().cores(1).build();
    EventLoopGroup clients = wire.stock();
    try {
      Channel server = wire.bind(group, fresh(Writes.class));
      Channel client =
          wire.connect(clients, server.localAddress(), new ChannelInboundHandlerAdapter());
      Harness.await().until(() -> group.registeredChannels() == 2);
      client.close().sync();
      Harness.await().until(() -> group.registeredChannels() == 1);
    } finally {
      LOGGER.removeHandler(failing);
      clients.shutdownGracefully(0, 5, TimeUnit.SECONDS).sync();
      group.shutdownGracefully(0, 60, TimeUnit.SECONDS).sync();
    }
  }
}
