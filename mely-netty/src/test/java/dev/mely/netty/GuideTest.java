package dev.mely.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.annotation.Cost;
import dev.mely.annotation.Penalty;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.AttributeKey;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.DefaultEventExecutorGroup;
import io.netty.util.concurrent.EventExecutorGroup;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * docs/netty.md: its pieces of Java, here or in another test; SnippetsTest of mely-core compares
 * them with the page.
 */
@Timeout(300)
class GuideTest {
  private static final Path GUIDE = Path.of("../docs/netty.md");

  @Test
  void theRuntimeIsConfigured() throws Exception {
    MelyEventLoopGroup group =
        MelyEventLoopGroup.builder()
            .runtime(
                mely ->
                    mely.reportBlockedAfter(Duration.ofMillis(200))
                        .pollInterval(Duration.ofNanos(100_000)))
            .build();
    group.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
  }

  /** The coordinates that a new user copies are those of this build. */
  @Test
  void coordinatesAreThoseOfTheBuild() throws IOException {
    String guide = Files.readString(GUIDE);
    String parent = Files.readString(Path.of("../pom.xml"));
    assertTrue(guide.contains(version("mely-netty", first(parent, "<version>(.*?)</version>"))));
    assertTrue(
        guide.contains(
            version(
                "netty-transport-native-epoll",
                first(parent, "<netty.version>(.*?)</netty.version>"))));
  }

  private static String version(String artifact, String version) {
    return "<artifactId>" + artifact + "</artifactId>\n  <version>" + version + "</version>";
  }

  private static String first(String text, String pattern) {
    return Pattern.compile(pattern)
        .matcher(text)
        .results()
        .findFirst()
        .map(result -> result.group(1))
        .orElseThrow();
  }

  @Test
  void oneLine() throws Exception {
    EventLoopGroup group = new MelyEventLoopGroup(NioIoHandler.newFactory());
    assertNotNull(group.next());
    group.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
  }

  @Test
  void transportOfTheMachine() throws Exception {
    MelyEventLoopGroup group = MelyEventLoopGroup.builder().transport("auto").build();
    ServerBootstrap server =
        new ServerBootstrap().group(group).channel(group.serverSocketChannelType());
    Bootstrap client = new Bootstrap().group(group).channel(group.socketChannelType());
    Channel bound =
        server
            .childHandler(new Harness.Echo())
            .bind(new InetSocketAddress("127.0.0.1", 0))
            .sync()
            .channel();
    assertTrue(
        client
            .handler(new Harness.Echo())
            .connect(bound.localAddress())
            .sync()
            .channel()
            .isActive());
    group.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
  }

  @Test
  void channelsOfOneRoomShareAColor() throws Exception {
    AttributeKey<String> room = AttributeKey.valueOf("room");
    MelyEventLoopGroup group =
        MelyEventLoopGroup.builder().colorAssigner(channel -> channel.attr(room).get()).build();
    List<Channel> channels = new ArrayList<>();
    for (String name : List.of("a", "b", "a")) {
      Channel channel = new NioSocketChannel();
      channel.attr(room).set(name);
      group.register(channel).sync();
      channels.add(channel);
    }
    assertSame(channels.get(0).eventLoop(), channels.get(2).eventLoop());
    assertNotSame(channels.get(0).eventLoop(), channels.get(1).eventLoop());
    group.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
  }

  @Test
  void buffersHaveABound() throws Exception {
    MelyEventLoopGroup group = MelyEventLoopGroup.builder().workingSet(16 << 20).build();
    ServerBootstrap server =
        new ServerBootstrap().group(group).channel(group.serverSocketChannelType());
    StingyAllocator allocator = new StingyAllocator();
    server.childOption(ChannelOption.ALLOCATOR, allocator);
    assertNotNull(allocator.metric());
    group.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
  }

  @Cost(nanos = 40_000)
  @Penalty(3)
  class ThumbnailHandler extends ChannelInboundHandlerAdapter {}

  @Test
  void costsAreDeclared() {
    EmbeddedChannel channel = new EmbeddedChannel(new ThumbnailHandler());
    assertEquals(
        new HandlerCosts(Duration.ofNanos(40_000), 3), PipelineCosts.of(channel.pipeline()));
    channel.close();
  }

  static class DatabaseHandler extends ChannelInboundHandlerAdapter {
    static final BlockingQueue<String> ROWS = new LinkedTransferQueue<>();

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) throws Exception {
      ReferenceCountUtil.release(message);
      String row = ROWS.take(); // waits; allowed, in a thread of its own
      ctx.writeAndFlush(Unpooled.copiedBuffer(row, StandardCharsets.US_ASCII));
    }
  }

  @SuppressWarnings("deprecation")
  static class Database {
    static final EventExecutorGroup BLOCKING = new DefaultEventExecutorGroup(16);

    static void initialize(ChannelPipeline pipeline) {
      pipeline.addLast(BLOCKING, new DatabaseHandler());
    }
  }

  @Test
  void blockingCallsHaveThreadsOfTheirOwn() throws Exception {
    MelyEventLoopGroup group = MelyEventLoopGroup.builder().cores(1).build();
    class Initializer extends ChannelInitializer<Channel> {
      @Override
      protected void initChannel(Channel channel) {
        Database.initialize(channel.pipeline());
      }
    }
    try (Harness harness = new Harness(group, Initializer::new)) {
      Harness.Client first = harness.connect();
      Harness.Client second = harness.connect();
      first.send("?");
      second.send("?");
      // Both handlers wait, or will; the only core goes on.
      Harness.loop(second.peer).submit(() -> {}).sync();
      DatabaseHandler.ROWS.put("a");
      DatabaseHandler.ROWS.put("a");
      assertEquals("a", first.await(1));
      assertEquals("a", second.await(1));
    }
    Database.BLOCKING.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
  }
}
