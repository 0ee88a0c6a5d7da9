package dev.mely.netty.frameworks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.netty.LeakCounter;
import dev.mely.netty.MelyEventLoopGroup;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.EventExecutor;
import io.vertx.core.Context;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.ServerWebSocket;
import io.vertx.core.http.WebSocketClient;
import io.vertx.core.impl.VertxThread;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.VertxInternal;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Vert.x: a verticle's context is an event loop of the group, that is, a color: what the verticle
 * does is serial, whichever worker it runs on.
 */
@Timeout(300)
class VertxTest {
  private static final int REQUESTS = 200;
  private static final int VERTICLES = 4;

  @AfterAll
  static void noBufferIsLost() {
    LeakCounter.assertNoLeaks();
  }

  /**
   * Each request is handled in the context of the verticle that owns the server, and stays there
   * across a timer, a blocking call and the answer of another verticle.
   */
  @ParameterizedTest
  @CsvSource({
    "NIO, HTTP_1_1", "NIO_MIGRATING, HTTP_1_1", "EPOLL, HTTP_1_1", "EPOLL_MIGRATING, HTTP_1_1",
    "NIO, HTTP_2", "NIO_MIGRATING, HTTP_2", "EPOLL, HTTP_2", "EPOLL_MIGRATING, HTTP_2",
  })
  void contextsKeepTheirIdentity(Setting setting, HttpVersion version) throws Exception {
    try (Fixture fixture = new Fixture(setting)) {
      fixture.vertx.eventBus().consumer("shout", m -> m.reply(m.body() + "!"));
      Queue<HopServer> servers = new ConcurrentLinkedQueue<>();
      AtomicInteger port = new AtomicInteger();
      get(
          fixture.vertx.deployVerticle(
              () -> {
                HopServer server = new HopServer(port);
                servers.add(server);
                return server;
              },
              new DeploymentOptions().setInstances(VERTICLES)));
      Caller caller = new Caller(port.get(), version);
      get(fixture.vertx.deployVerticle(caller));
      get(caller.done.future());
      assertEquals(List.of(), List.copyOf(caller.faults));
      assertEquals(REQUESTS, caller.inContext, "answers in the caller's context");
      int inContext = 0;
      for (HopServer server : servers) {
        server.serial.assertFaultless();
        inContext += server.inContext;
      }
      assertEquals(REQUESTS, inContext, "requests in their verticle's context");
    }
  }

  @ParameterizedTest
  @EnumSource
  void bodiesStreamInOrder(Setting setting) throws Exception {
    try (Fixture fixture = new Fixture(setting)) {
      int port =
          get(fixture
                  .vertx
                  .createHttpServer()
                  .requestHandler(request -> request.response().send(request))
                  .listen(0, "127.0.0.1"))
              .actualPort();
      HttpClient client = fixture.vertx.createHttpClient();
      List<Future<Buffer>> answers = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        Buffer body = body(i);
        answers.add(
            client
                .request(HttpMethod.POST, port, "127.0.0.1", "/")
                // Nested: in the event that brings the answer. A step that this thread adds too
                // late would come after the body, which is then gone.
                .compose(request -> request.send(body).compose(response -> response.body())));
      }
      for (int i = 0; i < 20; i++) {
        assertEquals(body(i), get(answers.get(i)));
      }
      get(client.close());
    }
  }

  @ParameterizedTest
  @EnumSource
  void webSocketsEchoInOrder(Setting setting) throws Exception {
    int messages = 2_000;
    try (Fixture fixture = new Fixture(setting)) {
      int port =
          get(fixture
                  .vertx
                  .createHttpServer()
                  .webSocketHandler(VertxTest::echo)
                  .listen(0, "127.0.0.1"))
              .actualPort();
      WebSocketClient client = fixture.vertx.createWebSocketClient();
      Serial serial = new Serial();
      Future<Void> closed =
          client
              .connect(port, "127.0.0.1", "/")
              .compose(
                  socket -> {
                    socket.textMessageHandler(
                        text -> {
                          int number = Integer.parseInt(text);
                          serial.expectNext(number);
                          if (number == messages - 1) {
                            socket.close();
                          }
                        });
                    Promise<Void> end = Promise.promise();
                    socket.closeHandler(end::complete);
                    for (int i = 0; i < messages; i++) {
                      socket.writeTextMessage("" + i);
                    }
                    return end.future();
                  });
      get(closed);
      get(client.close());
      serial.assertFaultless(messages);
    }
  }

  private static void echo(ServerWebSocket socket) {
    socket.textMessageHandler(socket::writeTextMessage);
  }

  /** A Vert.x as it is, on Mely, and what must hold at its end. */
  private static final class Fixture implements AutoCloseable {
    private static final String MIGRATION = "dev.mely.randomMigration";
    private static final int MIGRATING_CORES = 3;

    final Vertx vertx;
    private final List<Thread> threads = new ArrayList<>();

    Fixture(Setting setting) throws Exception {
      VertxOptions options = new VertxOptions().setPreferNativeTransport(setting.isEpoll());
      if (setting.isMigrating()) {
        System.setProperty(MIGRATION, "17");
        options.setEventLoopPoolSize(MIGRATING_CORES);
      }
      try {
        vertx = Vertx.vertx(options);
      } finally {
        System.clearProperty(MIGRATION);
      }
      MelyEventLoopGroup group =
          assertInstanceOf(MelyEventLoopGroup.class, ((VertxInternal) vertx).nettyEventLoopGroup());
      assertEquals(
          setting.isEpoll() ? EpollSocketChannel.class : NioSocketChannel.class,
          group.socketChannelType());
      for (EventExecutor core : group) {
        threads.add(core.submit(Thread::currentThread).get());
      }
    }

    @Override
    public void close() {
      Future<Void> closed = vertx.close();
      TestGroup.await().until(closed::succeeded);
      assertTrue(
          threads.size() > 1 && threads.stream().allMatch(VertxThread.class::isInstance),
          "the workers' threads come from Vert.x's factory");
      TestGroup.await().until(() -> threads.stream().noneMatch(Thread::isAlive));
    }
  }

  /** Answers after several hops, and counts the requests that never left their context. */
  private static final class HopServer extends VerticleBase {
    final Serial serial = new Serial();
    int inContext;
    private final AtomicInteger port;

    HopServer(AtomicInteger port) {
      this.port = port;
    }

    @Override
    public Future<?> start() {
      return vertx
          .createHttpServer()
          .requestHandler(this::handle)
          .listen(-1, "127.0.0.1") // one port for all instances
          .onSuccess(server -> port.set(server.actualPort()));
    }

    private void handle(HttpServerRequest request) {
      Context own = Vertx.currentContext(); // of this request; a duplicate of the verticle's
      AtomicInteger hops = new AtomicInteger();
      hop(own, hops);
      Future.<Long>future(tick -> vertx.setTimer(1, tick::complete))
          .compose(
              id -> {
                hop(own, hops);
                return vertx.executeBlocking(request::path);
              })
          .compose(
              path -> {
                hop(own, hops);
                return vertx.eventBus().<String>request("shout", path);
              })
          .onSuccess(
              reply -> {
                hop(own, hops);
                if (hops.get() == 4) {
                  serial.run(() -> inContext++);
                }
                request.response().end(reply.body());
              });
    }

    private void hop(Context own, AtomicInteger hops) {
      serial.run(
          () -> {
            if (Vertx.currentContext() == own && isIn(context)) {
              hops.getAndIncrement();
            }
          });
    }
  }

  /** Sends the requests, and counts the answers that come in its context. */
  private static final class Caller extends VerticleBase {
    final Queue<String> faults = new ConcurrentLinkedQueue<>();
    final Promise<Void> done = Promise.promise();
    int inContext;
    private final int port;
    private final HttpVersion version;
    private HttpClient client; // one that nobody holds is closed by Vert.x
    private int answers;

    Caller(int port, HttpVersion version) {
      this.port = port;
      this.version = version;
    }

    @Override
    public Future<?> start() {
      HttpClientOptions options = new HttpClientOptions().setProtocolVersion(version);
      client = vertx.createHttpClient(options.setHttp2ClearTextUpgrade(false));
      for (int i = 0; i < REQUESTS; i++) {
        String path = "/" + i;
        client
            .request(HttpMethod.GET, port, "127.0.0.1", path)
            .compose(HttpClientRequest::send)
            .compose(HttpClientResponse::body)
            .onFailure(done::tryFail)
            .onSuccess(body -> answered(path, body.toString()));
      }
      return Future.succeededFuture();
    }

    private void answered(String path, String body) {
      if (!body.equals(path + "!")) {
        faults.add(body + " in answer to " + path);
      }
      if (isIn(context)) {
        inContext++;
      }
      if (++answers == REQUESTS) {
        done.complete();
      }
    }
  }

  /** Whether this is a verticle's context, or a duplicate, on the thread that runs its color. */
  private static boolean isIn(Context verticle) {
    ContextInternal current = (ContextInternal) Vertx.currentContext();
    return current != null
        && current.unwrap() == verticle
        && current.nettyEventLoop().inEventLoop();
  }

  private static Buffer body(int i) {
    Buffer body = Buffer.buffer();
    for (int n = 0; n < i * 1_000; n++) {
      body.appendString(n + ",");
    }
    return body;
  }

  private static <T> T get(Future<T> future) throws Exception {
    return future
        .toCompletionStage()
        .toCompletableFuture()
        .get(TestGroup.PATIENCE_SECONDS, TimeUnit.SECONDS);
  }
}
