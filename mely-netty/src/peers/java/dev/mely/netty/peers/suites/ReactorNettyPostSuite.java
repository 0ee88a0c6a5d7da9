package dev.mely.netty.peers.suites;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.netty.DisposableServer;
import reactor.netty.http.HttpProtocol;
import reactor.netty.http.client.HttpClient;
import reactor.netty.http.server.HttpServer;
import reactor.netty.http.server.HttpServerRequest;
import reactor.netty.http.server.HttpServerResponse;

/**
 * What reactor-netty's own tests of the ends of a response do, which no package registry has: two
 * posts at a time, with bodies of several parts, to a server that answers one without looking at
 * the body and the other from it. Each answer must be whole, and each exchange must end. On
 * reactor-netty's own resources, which make their group themselves, and colocate the client.
 */
final class ReactorNettyPostSuite {
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final String PART = "m".repeat(1024);
  private static final Flux<String> BODY = Flux.just(PART, PART, PART, PART);
  private static final String WHOLE = PART.repeat(4);

  /** How the server answers. */
  enum Answer {
    EMPTY("", ""),
    HEADERS("", ""),
    ONE_PART(PART, WHOLE),
    PARTS(WHOLE, WHOLE),
    OBJECT(PART, PART);

    private final String first;
    private final String second;

    Answer(String first, String second) {
      this.first = first;
      this.second = second;
    }

    /** Without looking at the request's body. */
    Publisher<Void> first(HttpServerRequest request, HttpServerResponse response) {
      return switch (this) {
        case EMPTY -> Mono.empty();
        case HEADERS -> response.sendHeaders();
        case ONE_PART -> response.sendString(Mono.just(PART));
        case PARTS -> response.sendString(BODY);
        case OBJECT -> object(response);
      };
    }

    /** From the request's body, or after it. */
    Publisher<Void> second(HttpServerRequest request, HttpServerResponse response) {
      return switch (this) {
        case EMPTY -> request.receive().then();
        case HEADERS -> request.receive().then(response.sendHeaders().then());
        case ONE_PART -> response.send(request.receive().aggregate().retain());
        case PARTS -> response.send(request.receive().retain());
        case OBJECT -> request.receive().then(Mono.from(object(response)));
      };
    }

    private static Publisher<Void> object(HttpServerResponse response) {
      return response.sendObject(Unpooled.copiedBuffer(PART, StandardCharsets.US_ASCII)).then();
    }
  }

  static Stream<Arguments> cases() {
    return Stream.of(HttpProtocol.HTTP11, HttpProtocol.H2C)
        .flatMap(protocol -> Stream.of(Answer.values()).map(a -> Arguments.of(protocol, a)));
  }

  @ParameterizedTest
  @MethodSource("cases")
  void twoPostsAreAnsweredAndEnd(HttpProtocol protocol, Answer answer) throws Exception {
    Semaphore ends = new Semaphore(0);
    DisposableServer server =
        HttpServer.create()
            .host("127.0.0.1")
            .port(0)
            .protocol(protocol)
            .doOnConnection(c -> c.onTerminate().subscribe(v -> {}, e -> {}, ends::release))
            .route(r -> r.post("/1", answer::first).post("/2", answer::second))
            .bindNow(PATIENCE);
    try {
      HttpClient client =
          HttpClient.create().host("127.0.0.1").port(server.port()).protocol(protocol);
      List<String> answers =
          Flux.range(1, 2)
              .flatMapSequential(
                  i ->
                      client
                          .post()
                          .uri("/" + i)
                          .send((request, out) -> out.sendString(BODY))
                          .responseContent()
                          .aggregate()
                          .asString()
                          .defaultIfEmpty(""))
              .collectList()
              .block(PATIENCE);
      assertEquals(List.of(answer.first, answer.second), answers);
      assertEquals(true, ends.tryAcquire(2, PATIENCE.toSeconds(), TimeUnit.SECONDS), "ended");
    } finally {
      server.disposeNow(PATIENCE);
    }
  }
}
