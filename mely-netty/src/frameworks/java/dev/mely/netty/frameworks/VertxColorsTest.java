package dev.mely.netty.frameworks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.Mely;
import dev.mely.netty.LeakCounter;
import dev.mely.netty.MelyEventLoopGroup;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.VertxInternal;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Work of Vert.x's requests in colors: HTTP/2, one connection, both of its codecs. */
@Timeout(300)
class VertxColorsTest {
  private static final int CORES = 3;

  @AfterAll
  static void noBufferIsLost() {
    LeakCounter.assertNoLeaks();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void requestsOfOneConnectionWorkAtOnce(boolean multiplex) throws Exception {
    Meeting meeting = new Meeting();
    Set<Object> connections = ConcurrentHashMap.newKeySet();
    Queue<Boolean> inContext = new ConcurrentLinkedQueue<>();
    Vertx vertx = newVertx();
    Mely mely = ((MelyEventLoopGroup) ((VertxInternal) vertx).nettyEventLoopGroup()).mely();
    HttpServer server =
        newServer(vertx, multiplex)
            .requestHandler(
                request -> {
                  connections.add(request.connection());
                  ContextInternal context = (ContextInternal) Vertx.currentContext();
                  Future.fromCompletionStage(
                          mely.submit(mely.newColor(), meeting::join), vertx.getOrCreateContext())
                      .onSuccess(
                          text -> {
                            inContext.add(
                                Vertx.currentContext() == context
                                    && context.nettyEventLoop().inEventLoop());
                            request.response().end(text);
                          });
                });
    assertEquals("met met", getTwice(vertx, server, multiplex));
    assertEquals(1, connections.size());
    assertEquals(2, inContext.size());
    assertTrue(!inContext.contains(false));
    get(vertx.close());
  }

  /** docs/netty.md. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void asInTheGuide(boolean multiplex) throws Exception {
    Vertx vertx = newVertx();
    HttpServer server = newServer(vertx, multiplex);
    Mely mely = ((MelyEventLoopGroup) ((VertxInternal) vertx).nettyEventLoopGroup()).mely();
    server.requestHandler(
        request ->
            Future.fromCompletionStage(
                    mely.submit(mely.color(request.path()), () -> book(request.path())),
                    vertx.getOrCreateContext())
                .onComplete(request.response()::end, failure -> request.response().reset()));
    assertEquals("booked / booked /", getTwice(vertx, server, multiplex));
    get(vertx.close());
  }

  private static String book(String order) {
    return "booked " + order;
  }

  private static Vertx newVertx() {
    return Vertx.vertx(new VertxOptions().setEventLoopPoolSize(CORES));
  }

  private static HttpServer newServer(Vertx vertx, boolean multiplex) {
    return vertx.createHttpServer(
        new HttpServerOptions().setHttp2MultiplexImplementation(multiplex).setHost("127.0.0.1"));
  }

  /** Two answers, to requests in one connection that are on their way at the same time. */
  private static String getTwice(Vertx vertx, HttpServer server, boolean multiplex)
      throws Exception {
    int port = get(server.listen(0)).actualPort();
    HttpClient client =
        vertx.createHttpClient(
            new HttpClientOptions()
                .setProtocolVersion(HttpVersion.HTTP_2)
                .setHttp2ClearTextUpgrade(false)
                .setHttp2MultiplexImplementation(multiplex),
            new PoolOptions().setHttp2MaxSize(1));
    Future<String> one = answer(client, port);
    Future<String> two = answer(client, port);
    String answers = get(one) + " " + get(two);
    get(client.close());
    return answers;
  }

  private static Future<String> answer(HttpClient client, int port) {
    return client
        .request(HttpMethod.GET, port, "127.0.0.1", "/")
        .compose(HttpClientRequest::send)
        .compose(HttpClientResponse::body)
        .map(Object::toString);
  }

  private static <T> T get(Future<T> future) throws Exception {
    return future
        .toCompletionStage()
        .toCompletableFuture()
        .get(TestGroup.PATIENCE_SECONDS, TimeUnit.SECONDS);
  }
}
