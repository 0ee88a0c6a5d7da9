package dev.mely.netty.frameworks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import com.linecorp.armeria.client.ClientFactory;
import com.linecorp.armeria.client.WebClient;
import com.linecorp.armeria.client.websocket.WebSocketClient;
import com.linecorp.armeria.client.websocket.WebSocketSession;
import com.linecorp.armeria.common.AggregatedHttpResponse;
import com.linecorp.armeria.common.Flags;
import com.linecorp.armeria.common.HttpData;
import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpRequestWriter;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpResponseWriter;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.MediaType;
import com.linecorp.armeria.common.RequestHeaders;
import com.linecorp.armeria.common.ResponseHeaders;
import com.linecorp.armeria.common.util.TransportType;
import com.linecorp.armeria.common.websocket.WebSocket;
import com.linecorp.armeria.common.websocket.WebSocketFrameType;
import com.linecorp.armeria.common.websocket.WebSocketWriter;
import com.linecorp.armeria.server.Server;
import com.linecorp.armeria.server.ServiceRequestContext;
import com.linecorp.armeria.server.websocket.WebSocketService;
import dev.mely.netty.LeakCounter;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Armeria: HTTP/1 and HTTP/2 without TLS, streaming both ways. Its channels are of one transport in
 * all of the virtual machine, so the build runs this class twice, see {@link Flags#transportType}.
 */
@Timeout(300)
class ArmeriaTest {
  private static final int REQUESTS = 400;
  private static final int CHUNKS = 2_000;

  /** One per setting: the acceptor's shutdown has a quiet period of two seconds. */
  private static final Map<Setting, Fixture> FIXTURES = new EnumMap<>(Setting.class);

  static List<Setting> settings() {
    return Setting.on(Flags.transportType() == TransportType.EPOLL);
  }

  static List<Arguments> cases() {
    return settings().stream()
        .flatMap(setting -> Stream.of(arguments(setting, "h1c"), arguments(setting, "h2c")))
        .toList();
  }

  private static Fixture fixture(Setting setting) {
    return FIXTURES.computeIfAbsent(setting, Fixture::new);
  }

  @AfterAll
  static void noBufferIsLost() {
    FIXTURES.values().forEach(Fixture::close);
    LeakCounter.assertNoLeaks();
  }

  /** Each request gets its own answer, from the event loop of its connection. */
  @ParameterizedTest
  @MethodSource("cases")
  void requestsGetTheirOwnAnswers(Setting setting, String protocol) throws Exception {
    Fixture fixture = fixture(setting);
    WebClient client = fixture.client(protocol);
    List<CompletableFuture<AggregatedHttpResponse>> answers = new ArrayList<>();
    for (int i = 0; i < REQUESTS; i++) {
      answers.add(client.post("/echo", "body " + i).aggregate());
    }
    for (int i = 0; i < REQUESTS; i++) {
      assertEquals("body " + i, get(answers.get(i)).contentUtf8());
    }
    fixture.assertSerial(setting);
  }

  @ParameterizedTest
  @MethodSource("cases")
  void serverStreamsInOrder(Setting setting, String protocol) throws Exception {
    Fixture fixture = fixture(setting);
    HttpResponse response = fixture.client(protocol).get("/stream");
    assertEquals(numbers(), get(response.aggregate()).contentUtf8());
  }

  /** The service hears the chunks in its event loop, in their order. */
  @ParameterizedTest
  @MethodSource("cases")
  void clientStreamsInOrder(Setting setting, String protocol) throws Exception {
    Fixture fixture = fixture(setting);
    HttpRequestWriter request =
        HttpRequest.streaming(RequestHeaders.of(HttpMethod.POST, "/collect"));
    CompletableFuture<AggregatedHttpResponse> answer =
        fixture.client(protocol).execute(request).aggregate();
    for (int i = 0; i < CHUNKS; i++) {
      request.write(HttpData.ofUtf8(i + ","));
    }
    request.close();
    assertEquals(numbers(), get(answer).contentUtf8());
    fixture.assertSerial(setting);
  }

  @ParameterizedTest
  @MethodSource("settings")
  void webSocketsEchoInOrder(Setting setting) throws Exception {
    Fixture fixture = fixture(setting);
    WebSocketClient client =
        WebSocketClient.builder(fixture.uri("ws+h1c")).factory(fixture.clients).build();
    WebSocketSession session = get(client.connect("/socket"));
    Serial serial = new Serial();
    CompletableFuture<Void> end =
        session
            .inbound()
            .peek(
                frame -> {
                  if (frame.type() == WebSocketFrameType.TEXT) {
                    serial.expectNext(Integer.parseInt(frame.text()));
                  }
                })
            .subscribe();
    WebSocketWriter out = session.outbound();
    for (int i = 0; i < CHUNKS; i++) {
      out.write("" + i);
    }
    out.close();
    get(end);
    serial.assertFaultless(CHUNKS);
  }

  /** A server and a client on one group. */
  private static final class Fixture implements AutoCloseable {
    final Map<Object, Serial> connections = new ConcurrentHashMap<>();
    final ClientFactory clients;
    private final TestGroup loops;
    private final TestGroup acceptors;
    private final Server server;

    Fixture(Setting setting) {
      loops = new TestGroup(setting);
      acceptors = new TestGroup(setting);
      server =
          Server.builder()
              .workerGroup(loops.group, false)
              .bossGroupFactory(name -> acceptors.group)
              .service("/echo", (context, request) -> HttpResponse.of(answer(context, request)))
              .service("/stream", (context, request) -> stream(context))
              .service("/collect", this::collect)
              .service("/socket", WebSocketService.of((context, in) -> echo(in)))
              .build();
      server.start().join();
      clients = ClientFactory.builder().workerGroup(loops.group, false).build();
    }

    WebClient client(String protocol) {
      return WebClient.builder(uri(protocol)).factory(clients).build();
    }

    String uri(String protocol) {
      return protocol + "://127.0.0.1:" + server.activeLocalPort();
    }

    private CompletableFuture<HttpResponse> answer(
        ServiceRequestContext context, HttpRequest request) {
      inEventLoop(context);
      return request
          .aggregate()
          .thenApply(
              body -> {
                inEventLoop(context);
                return HttpResponse.of(HttpStatus.OK, MediaType.PLAIN_TEXT_UTF_8, body.content());
              });
    }

    private HttpResponse collect(ServiceRequestContext context, HttpRequest request) {
      StringBuilder all = new StringBuilder();
      return HttpResponse.of(
          request
              .peek(
                  chunk -> {
                    inEventLoop(context);
                    all.append(chunk.toStringUtf8());
                  },
                  HttpData.class)
              .subscribe(context.eventLoop())
              .thenApply(done -> HttpResponse.of(all.toString())));
    }

    private void inEventLoop(ServiceRequestContext context) {
      Serial serial = connections.computeIfAbsent(context.remoteAddress(), c -> new Serial());
      serial.run(
          () -> {
            if (!context.eventLoop().inEventLoop()) {
              serial.fault("not in the event loop: " + Thread.currentThread());
            }
          });
    }

    void assertSerial(Setting setting) {
      assertTrue(!connections.isEmpty());
      for (Serial serial : connections.values()) {
        serial.assertFaultless();
      }
    }

    @Override
    public void close() {
      clients.close();
      server.stop().join();
      acceptors.close();
      loops.close();
    }
  }

  /** The next chunk is written when the one before has gone. */
  private static HttpResponse stream(ServiceRequestContext context) {
    HttpResponseWriter response = HttpResponse.streaming();
    response.write(ResponseHeaders.of(HttpStatus.OK));
    write(context, response, 0);
    return response;
  }

  private static void write(ServiceRequestContext context, HttpResponseWriter response, int i) {
    if (i == CHUNKS) {
      response.close();
    } else {
      response.write(HttpData.ofUtf8(i + ","));
      response
          .whenConsumed()
          .thenRunAsync(() -> write(context, response, i + 1), context.eventLoop());
    }
  }

  private static WebSocket echo(WebSocket in) {
    WebSocketWriter out = WebSocket.streaming();
    in.peek(
            frame -> {
              if (frame.type() == WebSocketFrameType.TEXT) {
                out.write(frame.text());
              } else if (frame.type() == WebSocketFrameType.CLOSE) {
                out.close();
              }
            })
        .subscribe();
    return out;
  }

  private static String numbers() {
    StringBuilder all = new StringBuilder();
    for (int i = 0; i < CHUNKS; i++) {
      all.append(i).append(',');
    }
    return all.toString();
  }

  private static <T> T get(CompletableFuture<T> future) throws Exception {
    return future.get(TestGroup.PATIENCE_SECONDS, TimeUnit.SECONDS);
  }
}
