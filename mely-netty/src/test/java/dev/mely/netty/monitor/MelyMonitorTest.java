package dev.mely.netty.monitor;

import static dev.mely.netty.monitor.Reader.number;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import dev.mely.netty.MelyEventLoopGroup;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.local.LocalIoHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpContentCompressor;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpVersion;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import java.util.stream.StreamSupport;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(300)
class MelyMonitorTest {
  private static final String TOKEN = "0123456789abcdef";
  private static final Duration PATIENCE = Duration.ofSeconds(120);

  private final MelyMonitor monitor = new MelyMonitor();
  private final List<EventLoopGroup> groups = new ArrayList<>();

  @AfterEach
  void close() {
    monitor.close();
    groups.forEach(EventLoopGroup::shutdownGracefully);
    SamplerTest.awaitEnd();
  }

  private MelyEventLoopGroup mely(int cores) {
    MelyEventLoopGroup group = MelyEventLoopGroup.builder().cores(cores).pinned(false).build();
    groups.add(group);
    return group;
  }

  private EventLoopGroup stock(int loops, IoHandlerFactory factory) {
    EventLoopGroup group = new MultiThreadIoEventLoopGroup(loops, monitor.watch("own", factory));
    groups.add(group);
    return group;
  }

  private static List<JsonObject> list(JsonObject object, String name) {
    return StreamSupport.stream(object.getAsJsonArray(name).spliterator(), false)
        .map(JsonElement::getAsJsonObject)
        .toList();
  }

  /** The figures of the only group, once they are as wanted. */
  private static JsonObject awaitGroup(InetSocketAddress page, Predicate<JsonObject> wanted) {
    AtomicReference<JsonObject> last = new AtomicReference<>();
    try {
      Awaitility.await()
          .atMost(PATIENCE)
          .until(
              () -> {
                last.set(Reader.group(page));
                return wanted.test(last.get());
              });
    } catch (ConditionTimeoutException e) {
      throw new AssertionError("at last: " + last, e);
    }
    return last.get();
  }

  /** Transports whose loops can be watched. */
  private enum Watched {
    NIO(NioIoHandler.newFactory(), NioServerSocketChannel.class),
    EPOLL(EpollIoHandler.newFactory(), EpollServerSocketChannel.class);

    private final IoHandlerFactory factory;
    private final Class<? extends ServerChannel> type;

    Watched(IoHandlerFactory factory, Class<? extends ServerChannel> type) {
      this.factory = factory;
      this.type = type;
    }
  }

  // ---- What is shown of Netty's own loops

  @ParameterizedTest
  @EnumSource
  void tellsThatLoopsDoNotShare(Watched transport) throws Exception {
    try (SpinServer server = new SpinServer(stock(2, transport.factory), transport.type)) {
      server.loadOneLoop(4);
      InetSocketAddress page = monitor.listen(0);
      JsonObject group =
          awaitGroup(
              page,
              told -> {
                JsonElement sharing = told.get("sharing");
                return number(sharing, "queued") > 0.5
                    && number(sharing, "more") > 0.1 * number(sharing, "running")
                    && list(told, "cores").stream().anyMatch(c -> number(c, "waiting") > 0.5)
                    && list(told, "cores").stream().anyMatch(c -> number(c, "events") > 10);
              });
      assertEquals("own", group.get("name").getAsString());
      assertEquals("Netty", group.get("kind").getAsString());
      assertTrue(number(group, "channels") >= 4 + 1, "with the server's own");
      List<Double> busy =
          list(group, "cores").stream().map(c -> number(c, "busy")).sorted().toList();
      assertEquals(2, busy.size());
      assertTrue(busy.get(0) < busy.get(1), busy::toString);
      List<JsonObject> channels = list(group, "colors");
      assertTrue(channels.size() >= 4, channels::toString);
      for (JsonObject channel : channels.subList(0, 4)) {
        String name = channel.get("name").getAsString();
        assertTrue(name.matches("L:/127.0.0.1:\\d+ - R:/127.0.0.1:\\d+"), name);
        assertTrue(number(channel, "share") > 0, channels::toString);
        assertTrue(channel.get("queued").isJsonNull(), "not known");
      }
    }
  }

  @Test
  void oneConnectionCannotBeShared() throws Exception {
    try (SpinServer server =
        new SpinServer(stock(2, NioIoHandler.newFactory()), NioServerSocketChannel.class)) {
      server.loadOneLoop(1);
      InetSocketAddress page = monitor.listen(0);
      JsonObject group =
          awaitGroup(
              page,
              told -> {
                JsonElement sharing = told.get("sharing");
                return number(sharing, "running") > 0.5
                    && number(sharing, "more") < 0.1 * number(sharing, "running");
              });
      assertEquals(2, list(group, "cores").size());
    }
  }

  @Test
  void showsWhereALoopIsStuck() throws Exception {
    try (SpinServer server =
        new SpinServer(stock(2, NioIoHandler.newFactory()), NioServerSocketChannel.class)) {
      server.block(); // before anybody looks
      awaitStuck(monitor.listen(0));
    }
  }

  private static void awaitStuck(InetSocketAddress page) {
    JsonObject group =
        awaitGroup(
            page,
            told -> list(told, "cores").stream().anyMatch(c -> number(c, "stuckMillis") > 100));
    for (JsonObject core : list(group, "cores")) {
      boolean stuck = number(core, "stuckMillis") > 0;
      assertEquals(stuck, core.getAsJsonArray("stack").toString().contains("waitHere"), core + "");
      assertTrue(!stuck || core.get("now").getAsString().contains("127.0.0.1"), core + "");
    }
  }

  @Test
  void otherTransportsAreRefused() {
    IoHandlerFactory watched = monitor.watch("local", LocalIoHandler.newFactory());
    Throwable refused =
        assertThrows(
            IllegalStateException.class, () -> new MultiThreadIoEventLoopGroup(1, watched));
    while (refused.getCause() != null) {
      refused = refused.getCause();
    }
    assertEquals(
        "only NIO and epoll can be watched, not io.netty.channel.local.LocalIoHandler",
        refused.getMessage());
  }

  // ---- What is shown of Mely's cores

  @Test
  void showsWhoStealsFromWhom() throws Exception {
    MelyEventLoopGroup cores = mely(2);
    monitor.add("http", cores);
    try (SpinServer server = new SpinServer(cores, cores.serverSocketChannelType())) {
      server.load(5); // an odd number: some core always has more
      InetSocketAddress page = monitor.listen(0);
      JsonObject told = awaitGroup(page, group -> !group.getAsJsonArray("steals").isEmpty());
      assertEquals("http", told.get("name").getAsString());
      assertEquals("Mely", told.get("kind").getAsString());
      assertTrue(number(told, "stealCostMicros") > 0);
      for (JsonObject steal : list(told, "steals")) {
        assertEquals(1, number(steal, "victim") + number(steal, "thief"), "two cores: " + steal);
        assertTrue(number(steal, "count") > 0);
      }
      assertTrue(list(told, "cores").stream().anyMatch(c -> number(c, "steals") > 0));
      assertTrue(list(told, "cores").stream().allMatch(c -> number(c, "busy") <= 1));
      assertTrue(number(told.get("sharing"), "running") > 0.5, told::toString);
      JsonObject color = list(told, "colors").get(0);
      assertTrue(color.get("name").getAsString().startsWith("I/O of [id: "), color::toString);
      assertTrue(number(color, "share") > 0);
      assertTrue(number(color, "penalty") >= 1);
      assertTrue(
          list(told, "handlers").stream()
              .anyMatch(h -> h.get("name").getAsString().contains("SpinServer.SpinHandler")),
          told::toString);
      assertEquals(0, told.getAsJsonArray("memory").size(), "no working set");
    }
  }

  @Test
  void showsWhereACoreIsStuck() throws Exception {
    MelyEventLoopGroup group = mely(2);
    monitor.add("http", group);
    try (SpinServer server = new SpinServer(group, group.serverSocketChannelType())) {
      server.block();
      awaitStuck(monitor.listen(0));
    }
  }

  @Test
  void showsTheWorkingSet() throws Exception {
    MelyEventLoopGroup group =
        MelyEventLoopGroup.builder().cores(1).pinned(false).workingSet(256 * 1024).build();
    groups.add(group);
    monitor.add("http", group);
    try (SpinServer server = new SpinServer(group, group.serverSocketChannelType())) {
      server.load(1);
      List<JsonObject> memory = list(Reader.group(monitor.listen(0)), "memory");
      assertEquals(1, memory.size());
      assertTrue(number(memory.get(0), "size") > 200_000, memory::toString);
    }
  }

  @Test
  void aGroupThatHasEndedIsForgotten() throws Exception {
    MelyEventLoopGroup first = mely(1);
    EventLoopGroup second = stock(1, NioIoHandler.newFactory());
    monitor.add("first", first).add("third", mely(1));
    InetSocketAddress page = monitor.listen(0);
    assertEquals(3, Reader.state(page).getAsJsonArray("groups").size());
    first.shutdownGracefully(0, 1, java.util.concurrent.TimeUnit.SECONDS).sync();
    second.shutdownGracefully(0, 1, java.util.concurrent.TimeUnit.SECONDS).sync();
    JsonObject state = Reader.state(page);
    assertEquals(1, state.getAsJsonArray("groups").size(), state::toString);
    assertEquals("third", Reader.group(page).get("name").getAsString());
  }

  // ---- A port of its own

  @Test
  void streamsWhileThePageIsOpen() throws Exception {
    monitor.add("http", mely(1));
    InetSocketAddress page = monitor.listen(0);
    assertTrue(page.getAddress().isLoopbackAddress());
    assertFalse(SamplerTest.isAlive(), "nobody looks");
    try (Reader reader = new Reader(page)) {
      reader.send("GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n");
      assertEquals("HTTP/1.1 200 OK", reader.line());
      int told = 0;
      while (told < 2) {
        if (reader.line().startsWith("data: {\"at\":")) {
          told++;
        }
      }
      assertTrue(SamplerTest.isAlive());
    }
    SamplerTest.awaitEnd();
  }

  @Test
  void thePageIsThere() throws Exception {
    InetSocketAddress page = monitor.listen(0);
    String answer = Reader.get(page, "/");
    assertTrue(answer.startsWith("HTTP/1.1 200 OK\r\n"), answer);
    assertTrue(answer.contains("src=\"monitor.js\""), answer);
    assertTrue(Reader.get(page, "/monitor.js").contains("EventSource"));
    assertTrue(Reader.get(page, "/nothing").startsWith("HTTP/1.1 404 "));
  }

  /** It has a thread of its own. */
  @Test
  void answersWhileAllCoresAreStuck() throws Exception {
    MelyEventLoopGroup group = mely(1);
    monitor.add("http", group);
    try (SpinServer server = new SpinServer(group, group.serverSocketChannelType())) {
      server.block();
      awaitStuck(monitor.listen(0));
    }
  }

  @Test
  void elsewhereATokenIsNeeded() throws Exception {
    monitor.add("http", mely(1));
    InetSocketAddress any = monitor.listen(new InetSocketAddress("0.0.0.0", 0), TOKEN);
    InetSocketAddress page = new InetSocketAddress(InetAddress.getLoopbackAddress(), any.getPort());
    assertTrue(Reader.get(page, "/").startsWith("HTTP/1.1 403 "));
    assertTrue(Reader.get(page, "/state.json").startsWith("HTTP/1.1 403 "));
    assertTrue(Reader.get(page, "/?token=" + TOKEN).startsWith("HTTP/1.1 200 "));
    assertTrue(
        Reader.get(page, "/state.json", "Authorization: Bearer " + TOKEN + "\r\n")
            .startsWith("HTTP/1.1 200 "));
    assertThrows(IllegalArgumentException.class, () -> monitor.listen(any, "short"));
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, 65_536})
  void refusesAPortThatIsNone(int port) {
    Exception refused = assertThrows(IllegalArgumentException.class, () -> monitor.listen(port));
    assertEquals("port must be between 0 and 65535, but is " + port, refused.getMessage());
  }

  @Test
  void saysThatAPortIsTaken() throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      Exception refused =
          assertThrows(UncheckedIOException.class, () -> monitor.listen(taken.getLocalPort()));
      assertTrue(refused.getMessage().endsWith(":" + taken.getLocalPort()), refused::getMessage);
    }
  }

  /** So that whoever opens connections takes no more memory, nor descriptors, than for these. */
  @Test
  void serves32ConnectionsAtOnce() throws Exception {
    List<Reader> open = new ArrayList<>();
    try (MonitorServer server = server(3_600)) {
      InetSocketAddress page = server.address();
      for (int i = 0; i < MonitorServer.MOST_CONNECTIONS; i++) {
        Reader reader = new Reader(page);
        open.add(reader);
        reader.send("GET /monitor.js HTTP/1.1\r\n"); // and no more
      }
      assertFalse(answers(page), "one too many");
      open.get(7).close();
      Awaitility.await().until(() -> answers(page));
    } finally {
      for (Reader reader : open) {
        reader.close();
      }
    }
  }

  private static MonitorServer server(int patience) {
    return new MonitorServer(
        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
        new Sampler(),
        Access.local(),
        patience);
  }

  private static String lineOrReset(Reader reader) throws IOException {
    try {
      return reader.line();
    } catch (SocketTimeoutException e) {
      throw e;
    } catch (IOException e) {
      return null;
    }
  }

  private static boolean answers(InetSocketAddress page) throws IOException {
    try (Reader reader = new Reader(page)) {
      reader.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
      return lineOrReset(reader) != null;
    } catch (IOException e) {
      return false; // it was closed before all was sent
    }
  }

  @Test
  void whoSendsNoRequestIsNotWaitedFor() throws Exception {
    try (MonitorServer server = server(1);
        Reader silent = new Reader(server.address());
        Reader slow = new Reader(server.address())) {
      slow.send("GET / HTTP/1.1\r\nHost: local");
      assertNull(lineOrReset(silent));
      assertNull(lineOrReset(slow));
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "NONSENSE\r\n\r\n",
        "GET / HTTP/9.9\r\n\r\n",
        "GET /\u0000 HTTP/1.1\r\n\r\n",
        "\r\n\r\n\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999\r\n\r\nxxxx",
        "GET / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        "\u0016\u0003\u0001\u0002\u0000\u0001"
      })
  void nonsenseDoesNoHarm(String text) throws Exception {
    InetSocketAddress page = monitor.listen(0);
    try (Reader hostile = new Reader(page)) {
      hostile.send(text);
      hostile.send("x".repeat(100_000));
      lineOrReset(hostile);
    } catch (IOException e) {
      // It was closed before all was sent.
    }
    assertTrue(Reader.get(page, "/").startsWith("HTTP/1.1 200 "));
  }

  @Test
  void closeEndsIt() throws Exception {
    monitor.add("http", mely(1));
    InetSocketAddress page = monitor.listen(0);
    try (Reader reader = new Reader(page)) {
      reader.send("GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n");
      assertEquals("HTTP/1.1 200 OK", reader.line());
      monitor.close();
      reader.rest();
      SamplerTest.awaitEnd();
      assertFalse(answers(page));
      assertThrows(IllegalStateException.class, () -> monitor.listen(0));
    }
  }

  // ---- A path of another server

  @Test
  void aServerHasItsOwnPages() throws Exception {
    MelyEventLoopGroup group = mely(2);
    monitor.add("http", group);
    Channel server =
        new ServerBootstrap()
            .group(group)
            .channel(group.serverSocketChannelType())
            .childHandler(
                new ChannelInitializer<>() {
                  @Override
                  protected void initChannel(Channel channel) {
                    channel
                        .pipeline()
                        .addLast(new HttpServerCodec(), new HttpContentCompressor())
                        .addLast(monitor.handler("/mely", TOKEN))
                        .addLast(new HttpObjectAggregator(1_000), new Hello());
                  }
                })
            .bind(InetAddress.getLoopbackAddress(), 0)
            .sync()
            .channel();
    InetSocketAddress address = (InetSocketAddress) server.localAddress();
    String close = "Connection: close\r\nAccept-Encoding: gzip\r\n";
    assertTrue(Reader.get(address, "/", close).startsWith("HTTP/1.1 418 "));
    assertTrue(Reader.get(address, "/melyx", close).startsWith("HTTP/1.1 418 "));
    assertTrue(Reader.get(address, "/mely/cores.js", close).startsWith("HTTP/1.1 200 "));
    String state = Reader.get(address, "/mely/state.json?token=" + TOKEN, "Accept: */*\r\n");
    assertTrue(state.contains("\"name\":\"http\""), state);
    try (Reader reader = new Reader(address)) {
      reader.send(
          "GET /mely/events?token="
              + TOKEN
              + " HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: gzip\r\n\r\n");
      String line = reader.line();
      while (!line.startsWith("data: ")) { // the compressor does not keep it back
        line = reader.line();
      }
      assertTrue(line.contains("\"name\":\"http\""), line);
    }
    assertTrue(Reader.get(address, "/mely", close).startsWith("HTTP/1.1 403 "), "no token");
  }

  private static final class Hello extends SimpleChannelInboundHandler<FullHttpRequest> {
    @Override
    protected void channelRead0(ChannelHandlerContext ctx, FullHttpRequest request) {
      ctx.writeAndFlush(
              new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.valueOf(418)))
          .addListener(done -> ctx.close());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "/", "mely", "/mely/", "//", "/a b", "/a?b", "/a//b", "/%2e", "/a\n"})
  void refusesAPathThatIsNone(String path) {
    Exception refused =
        assertThrows(IllegalArgumentException.class, () -> monitor.handler(path, TOKEN));
    assertEquals(
        "path must begin with a slash and have letters or digits behind it: " + path,
        refused.getMessage());
    assertThrows(IllegalArgumentException.class, () -> monitor.handler("/mely", "short"));
  }

  /** What the page is told is what the classes write: no name is missing. */
  @Test
  void theFormOfTheFiguresIsKept() throws Exception {
    monitor.add("http", mely(1));
    JsonObject state = Reader.state(monitor.listen(0));
    Map<String, List<String>> keys =
        Map.of(
            "state", List.of("at", "seconds", "cpus", "processCpus", "groups"),
            "group",
                List.of(
                    "name",
                    "kind",
                    "channels",
                    "stealCostMicros",
                    "sharing",
                    "cores",
                    "steals",
                    "colors",
                    "handlers",
                    "memory"),
            "core",
                List.of(
                    "name", "busy", "waiting", "events", "steals", "now", "stuckMillis", "stack"));
    JsonObject group = list(state, "groups").get(0);
    assertEquals(keys.get("state"), List.copyOf(state.keySet()));
    assertEquals(keys.get("group"), List.copyOf(group.keySet()));
    assertEquals(keys.get("core"), List.copyOf(list(group, "cores").get(0).keySet()));
  }
}
