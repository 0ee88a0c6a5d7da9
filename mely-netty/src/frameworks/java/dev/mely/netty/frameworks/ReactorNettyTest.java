package dev.mely.netty.frameworks;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.netty.LeakCounter;
import dev.mely.netty.MelyEventLoopGroup;
import io.netty.channel.Channel;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.util.concurrent.EventExecutor;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.netty.ByteBufFlux;
import reactor.netty.DisposableServer;
import reactor.netty.http.HttpProtocol;
import reactor.netty.http.client.HttpClient;
import reactor.netty.http.server.HttpServer;
import reactor.netty.http.server.HttpServerRequest;
import reactor.netty.resources.ConnectionProvider;
import reactor.netty.resources.LoopResources;

/** reactor-netty: HTTP/1.1, H2C, WebSocket, and client and server colocated. */
@Timeout(300)
class ReactorNettyTest {
  private static final Duration PATIENCE = Duration.ofSeconds(TestGroup.PATIENCE_SECONDS);

  @AfterAll
  static void noBufferIsLost() {
    LeakCounter.assertNoLeaks();
  }

  /** Eight kept-alive connections share the requests; each body comes back as it went. */
  @ParameterizedTest
  @EnumSource
  void http11KeepsConnectionsAlive(Setting setting) {
    try (Fixture fixture = new Fixture(setting, HttpProtocol.HTTP11, 8)) {
      List<String> answers = fixture.postAll(400, 8);
      assertEquals(bodies(400), answers);
      assertTrue(
          fixture.connections.size() <= 8, () -> fixture.connections.size() + " connections");
      fixture.assertSerial(setting);
    }
  }

  /** All requests lie in the socket at once; the answers come in their order. */
  @ParameterizedTest
  @EnumSource
  void http11AnswersAPipelineInOrder(Setting setting) throws IOException {
    int requests = 500;
    try (Fixture fixture = new Fixture(setting, HttpProtocol.HTTP11, 1);
        Socket socket = new Socket("127.0.0.1", fixture.server.port())) {
      socket.setSoTimeout((int) PATIENCE.toMillis());
      StringBuilder all = new StringBuilder();
      for (int i = 0; i < requests; i++) {
        String host = "Host: localhost\r\n";
        all.append("GET /number/").append(i).append(" HTTP/1.1\r\n").append(host).append("\r\n");
      }
      OutputStream out = socket.getOutputStream();
      out.write(all.toString().getBytes(US_ASCII));
      DataInputStream in = new DataInputStream(socket.getInputStream());
      for (int i = 0; i < requests; i++) {
        assertEquals("number " + i, readAnswer(in));
      }
      fixture.assertSerial(setting);
    }
  }

  /** One connection, many streams at a time. */
  @ParameterizedTest
  @EnumSource
  void h2cMultiplexesStreams(Setting setting) {
    try (Fixture fixture = new Fixture(setting, HttpProtocol.H2C, 1)) {
      List<String> answers = fixture.postAll(400, 64);
      assertEquals(bodies(400), answers);
      assertEquals(1, fixture.connections.size(), "connections");
      fixture.assertSerial(setting);
    }
  }

  @ParameterizedTest
  @EnumSource
  void h2cStreamsInOrder(Setting setting) {
    try (Fixture fixture = new Fixture(setting, HttpProtocol.H2C, 1)) {
      List<List<String>> streams =
          Flux.range(0, 8)
              .flatMap(i -> fixture.stream(2_000).collectList(), 8)
              .collectList()
              .block(PATIENCE);
      assertEquals(8, streams.size());
      for (List<String> stream : streams) {
        assertEquals(numbers(2_000), String.join("", stream));
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void webSocketsEchoInOrder(Setting setting) {
    try (Fixture fixture = new Fixture(setting, HttpProtocol.HTTP11, 1)) {
      Serial serial = new Serial();
      int messages = 2_000;
      fixture
          .client
          .websocket()
          .uri("/socket")
          .handle(
              (in, out) -> {
                Mono<Void> sent = out.sendString(Flux.range(0, messages).map(i -> "" + i)).then();
                Flux<String> received =
                    in.aggregateFrames()
                        .receive()
                        .asString()
                        .doOnNext(text -> serial.expectNext(Integer.parseInt(text)))
                        .take(messages);
                return sent.thenMany(received);
              })
          .blockLast(PATIENCE);
      serial.assertFaultless(messages);
    }
  }

  /** The handler calls the server itself, and the inner call stays on the core of the outer one. */
  @ParameterizedTest
  @EnumSource
  void clientsAreColocatedWithTheirServer(Setting setting) throws Exception {
    int requests = 200;
    AtomicInteger colocated = new AtomicInteger();
    try (TestGroup loops = new TestGroup(setting)) {
      LoopResources resources = colocating(loops.group);
      AtomicInteger port = new AtomicInteger();
      DisposableServer server =
          HttpServer.create()
              .host("127.0.0.1")
              .port(0)
              .runOn(resources)
              .route(
                  routes ->
                      routes
                          .get(
                              "/outer/{i}",
                              (request, response) -> {
                                Thread outer = Thread.currentThread();
                                HttpClient inner =
                                    HttpClient.newConnection()
                                        .runOn(resources)
                                        .doOnConnected(
                                            connection -> {
                                              if (Thread.currentThread() == outer) {
                                                colocated.getAndIncrement();
                                              }
                                            });
                                String path = "/inner/" + request.param("i");
                                return response.sendString(get(inner, uri(port.get(), path)));
                              })
                          .get(
                              "/inner/{i}",
                              (request, response) ->
                                  response.sendString(Mono.just("inner " + request.param("i")))))
              .bindNow(PATIENCE);
      port.set(server.port());
      ConnectionProvider pool = ConnectionProvider.create("outer", 8);
      HttpClient client = HttpClient.create(pool).runOn(loops.group);
      List<String> answers =
          Flux.range(0, requests)
              .flatMapSequential(i -> get(client, uri(server.port(), "/outer/" + i)), 8)
              .collectList()
              .block(PATIENCE);
      assertEquals(Flux.range(0, requests).map(i -> "inner " + i).collectList().block(), answers);
      pool.disposeLater().block(PATIENCE);
      server.disposeNow(PATIENCE);
    }
    assertEquals(requests, colocated.get(), "inner calls on the core of the outer one");
  }

  /** Servers are colored; clients that a handler makes are bound to the handler's core. */
  private static LoopResources colocating(EventLoopGroup group) throws Exception {
    EventLoopGroup colocated = LoopResources.colocate(group);
    LoopResources resources =
        new LoopResources() {
          @Override
          public EventLoopGroup onServer(boolean useNative) {
            return group;
          }

          @Override
          public EventLoopGroup onClient(boolean useNative) {
            return colocated;
          }
        };
    for (EventExecutor core : group) {
      core.submit(() -> {}).sync(); // colocate has posted a task to each core
    }
    return resources;
  }

  @Test
  void asInTheGuide() throws Exception {
    MelyEventLoopGroup group = MelyEventLoopGroup.builder().build();
    HttpServer server = HttpServer.create().runOn(group);
    HttpClient client = HttpClient.create().runOn(group);
    DisposableServer running =
        server
            .host("127.0.0.1")
            .port(0)
            .handle((request, response) -> response.sendString(Mono.just("guide")))
            .bindNow(PATIENCE);
    assertEquals("guide", get(client, uri(running.port(), "/")).block(PATIENCE));
    running.disposeNow(PATIENCE);
    group.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
  }

  /** A server and a client on one group. */
  private static final class Fixture implements AutoCloseable {
    final Map<Channel, Serial> connections = new ConcurrentHashMap<>();
    final DisposableServer server;
    final HttpClient client;
    private final TestGroup loops;
    private final ConnectionProvider pool;

    Fixture(Setting setting, HttpProtocol protocol, int maxConnections) {
      loops = new TestGroup(setting);
      server =
          HttpServer.create()
              .host("127.0.0.1")
              .port(0)
              .protocol(protocol)
              .runOn(loops.group)
              .route(
                  routes ->
                      routes
                          .get(
                              "/number/{i}",
                              (request, response) -> {
                                int i = Integer.parseInt(request.param("i"));
                                serial(request).expectNext(i);
                                return response.sendString(Mono.just("number " + i));
                              })
                          .post(
                              "/echo",
                              (request, response) ->
                                  response.send(
                                      request
                                          .receive()
                                          .retain()
                                          .doOnNext(bytes -> serial(request).run(() -> {}))))
                          .get(
                              "/stream/{n}",
                              (request, response) ->
                                  response.sendString(
                                      Flux.range(0, Integer.parseInt(request.param("n")))
                                          .map(i -> i + ",")))
                          .ws("/socket", (in, out) -> out.sendString(in.receive().asString())))
              .bindNow(PATIENCE);
      pool =
          ConnectionProvider.builder("test")
              .maxConnections(maxConnections)
              .pendingAcquireMaxCount(-1)
              .build();
      client =
          HttpClient.create(pool)
              .protocol(protocol)
              .runOn(loops.group)
              .baseUrl(uri(server.port(), ""));
    }

    /** The callbacks of a connection; those of its HTTP/2 streams are of the same color. */
    private Serial serial(HttpServerRequest request) {
      Channel[] connection = new Channel[1];
      request.withConnection(
          c -> {
            Channel channel = c.channel();
            connection[0] = channel.parent() instanceof ServerChannel ? channel : channel.parent();
          });
      Serial serial = connections.computeIfAbsent(connection[0], c -> new Serial());
      if (!connection[0].eventLoop().inEventLoop()) {
        serial.fault("not in the event loop: " + Thread.currentThread());
      }
      return serial;
    }

    /** Posts so many bodies, some at a time; returns the answers in the order of the requests. */
    List<String> postAll(int requests, int concurrency) {
      return Flux.range(0, requests)
          .flatMapSequential(
              i ->
                  client
                      .post()
                      .uri("/echo")
                      .send(ByteBufFlux.fromString(Mono.just(body(i))))
                      .responseContent()
                      .aggregate()
                      .asString(),
              concurrency)
          .collectList()
          .block(PATIENCE);
    }

    Flux<String> stream(int n) {
      return client.get().uri("/stream/" + n).responseContent().asString();
    }

    void assertSerial(Setting setting) {
      assertTrue(!connections.isEmpty());
      for (Serial serial : connections.values()) {
        serial.assertFaultless();
      }
    }

    @Override
    public void close() {
      pool.disposeLater().block(PATIENCE);
      server.disposeNow(PATIENCE);
      loops.close();
    }
  }

  private static Mono<String> get(HttpClient client, String uri) {
    return client.get().uri(uri).responseContent().aggregate().asString();
  }

  private static String readAnswer(DataInputStream in) throws IOException {
    int length = -1;
    boolean chunked = false;
    for (String line = readLine(in); !line.isEmpty(); line = readLine(in)) {
      String header = line.toLowerCase(Locale.ROOT);
      if (header.startsWith("content-length:")) {
        length = Integer.parseInt(header.substring("content-length:".length()).trim());
      }
      chunked |= header.equals("transfer-encoding: chunked");
    }
    StringBuilder body = new StringBuilder();
    if (!chunked) {
      return new String(in.readNBytes(length), US_ASCII);
    }
    for (int n = readChunkSize(in); n > 0; n = readChunkSize(in)) {
      body.append(new String(in.readNBytes(n), US_ASCII));
      readLine(in);
    }
    readLine(in);
    return body.toString();
  }

  private static int readChunkSize(DataInputStream in) throws IOException {
    return Integer.parseInt(readLine(in), 16);
  }

  private static String readLine(DataInputStream in) throws IOException {
    StringBuilder line = new StringBuilder();
    for (int c = in.readByte(); c != '\n'; c = in.readByte()) {
      if (c != '\r') {
        line.append((char) c);
      }
    }
    return line.toString();
  }

  private static String uri(int port, String path) {
    return "http://127.0.0.1:" + port + path;
  }

  private static List<String> bodies(int n) {
    return Flux.range(0, n).map(ReactorNettyTest::body).collectList().block();
  }

  /** From a few bytes to more than a read takes. */
  private static String body(int i) {
    return ("body " + i + " ").repeat(1 + i % 50 * 20);
  }

  private static String numbers(int n) {
    StringBuilder all = new StringBuilder();
    for (int i = 0; i < n; i++) {
      all.append(i).append(',');
    }
    return all.toString();
  }
}
