package dev.mely.netty.frameworks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.netty.LeakCounter;
import dev.mely.netty.MelyEventLoopGroup;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.MediaType;
import org.springframework.http.client.ReactorResourceFactory;
import org.springframework.http.client.reactive.ReactorClientHttpConnector;
import org.springframework.http.server.reactive.ReactorHttpHandlerAdapter;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.reactive.HandlerMapping;
import org.springframework.web.reactive.config.EnableWebFlux;
import org.springframework.web.reactive.function.client.WebClient;
import org.springframework.web.reactive.handler.SimpleUrlHandlerMapping;
import org.springframework.web.reactive.socket.WebSocketHandler;
import org.springframework.web.reactive.socket.WebSocketMessage;
import org.springframework.web.reactive.socket.client.ReactorNettyWebSocketClient;
import org.springframework.web.server.adapter.WebHttpHandlerBuilder;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.netty.DisposableServer;
import reactor.netty.http.client.HttpClient;
import reactor.netty.http.server.HttpServer;

/** Spring WebFlux: an annotated controller behind reactor-netty, and WebClient before it. */
@Timeout(300)
class WebFluxTest {
  private static final Duration PATIENCE = Duration.ofSeconds(TestGroup.PATIENCE_SECONDS);
  private static final int ITEMS = 1_000;

  @AfterAll
  static void noBufferIsLost() {
    LeakCounter.assertNoLeaks();
  }

  /** Each request gets its own answer, made on a worker of the group. */
  @ParameterizedTest
  @EnumSource
  void requestsGetTheirOwnAnswers(Setting setting) {
    try (Fixture fixture = new Fixture(setting)) {
      int requests = 200;
      List<String> answers =
          Flux.range(0, requests)
              .flatMapSequential(
                  i ->
                      fixture
                          .client
                          .post()
                          .uri("/echo/{i}", i)
                          .bodyValue("body")
                          .retrieve()
                          .bodyToMono(String.class),
                  16)
              .collectList()
              .block(PATIENCE);
      assertEquals(Flux.range(0, requests).map(i -> "body " + i).collectList().block(), answers);
      List<Thread> strangers =
          fixture.controller.threads.stream().filter(t -> !fixture.loops.isWorker(t)).toList();
      assertEquals(requests, fixture.controller.threads.size());
      assertEquals(List.of(), strangers);
    }
  }

  /** A Flux as server-sent events, several at a time, the receiver slower than the sender. */
  @ParameterizedTest
  @EnumSource
  void fluxesStreamInOrder(Setting setting) {
    try (Fixture fixture = new Fixture(setting)) {
      List<List<Integer>> streams =
          Flux.range(0, 4)
              .flatMap(
                  i ->
                      fixture
                          .client
                          .get()
                          .uri("/events")
                          .accept(MediaType.TEXT_EVENT_STREAM)
                          .retrieve()
                          .bodyToFlux(String.class)
                          .map(Integer::valueOf)
                          .limitRate(8)
                          .collectList())
              .collectList()
              .block(PATIENCE);
      List<Integer> expected = Flux.range(0, ITEMS).collectList().block();
      assertEquals(List.of(expected, expected, expected, expected), streams);
    }
  }

  /** The controller calls another endpoint through WebClient, on the same group. */
  @ParameterizedTest
  @EnumSource
  void controllersCallOn(Setting setting) {
    try (Fixture fixture = new Fixture(setting)) {
      List<String> answers =
          Flux.range(0, 100)
              .flatMapSequential(
                  i ->
                      fixture.client.get().uri("/relay/{i}", i).retrieve().bodyToMono(String.class))
              .collectList()
              .block(PATIENCE);
      assertEquals(Flux.range(0, 100).map(i -> "relayed " + i).collectList().block(), answers);
    }
  }

  @ParameterizedTest
  @EnumSource
  void webSocketsEchoInOrder(Setting setting) {
    try (Fixture fixture = new Fixture(setting)) {
      Serial serial = new Serial();
      new ReactorNettyWebSocketClient(HttpClient.create().runOn(fixture.loops.group))
          .execute(
              URI.create("ws://127.0.0.1:" + fixture.server.port() + "/socket"),
              session ->
                  session
                      .send(Flux.range(0, ITEMS).map(i -> session.textMessage("" + i)))
                      .thenMany(
                          session
                              .receive()
                              .take(ITEMS)
                              .map(WebSocketMessage::getPayloadAsText)
                              .doOnNext(text -> serial.expectNext(Integer.parseInt(text))))
                      .then())
          .block(PATIENCE);
      serial.assertFaultless(ITEMS);
    }
  }

  @Test
  void asInTheGuide() throws Exception {
    MelyEventLoopGroup group = MelyEventLoopGroup.builder().build();
    ReactorResourceFactory resources = new ReactorResourceFactory();
    resources.setUseGlobalResources(false);
    resources.setLoopResources(useNative -> group);
    resources.start();
    DisposableServer server =
        HttpServer.create()
            .runOn(resources.getLoopResources())
            .host("127.0.0.1")
            .port(0)
            .handle(new ReactorHttpHandlerAdapter((in, out) -> out.setComplete()))
            .bindNow(PATIENCE);
    WebClient client =
        WebClient.builder()
            .clientConnector(new ReactorClientHttpConnector(resources, http -> http))
            .build();
    assertTrue(
        client
            .get()
            .uri("http://127.0.0.1:" + server.port())
            .retrieve()
            .toBodilessEntity()
            .block(PATIENCE)
            .getStatusCode()
            .is2xxSuccessful());
    server.disposeNow(PATIENCE);
    resources.stop();
    group.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
  }

  /** An application, its server and a client on one group. */
  private static final class Fixture implements AutoCloseable {
    final TestGroup loops;
    final DisposableServer server;
    final WebClient client;
    final Controller controller;
    private final ReactorResourceFactory resources = new ReactorResourceFactory();
    private final AnnotationConfigApplicationContext context;

    Fixture(Setting setting) {
      loops = new TestGroup(setting);
      resources.setUseGlobalResources(false);
      resources.setLoopResources(useNative -> loops.group);
      resources.start();
      context = new AnnotationConfigApplicationContext(Application.class);
      controller = context.getBean(Controller.class);
      server =
          HttpServer.create()
              .runOn(resources.getLoopResources())
              .host("127.0.0.1")
              .port(0)
              .handle(
                  new ReactorHttpHandlerAdapter(
                      WebHttpHandlerBuilder.applicationContext(context).build()))
              .bindNow(PATIENCE);
      client =
          WebClient.builder()
              .clientConnector(new ReactorClientHttpConnector(resources, http -> http))
              .baseUrl("http://127.0.0.1:" + server.port())
              .build();
      controller.client = client;
    }

    @Override
    public void close() {
      server.disposeNow(PATIENCE);
      resources.stop();
      context.close();
      loops.close();
    }
  }

  @Configuration(proxyBeanMethods = false)
  @EnableWebFlux
  static class Application {
    @Bean
    Controller controller() {
      return new Controller();
    }

    @Bean
    HandlerMapping sockets() {
      WebSocketHandler echo =
          session ->
              session.send(
                  session
                      .receive()
                      .map(message -> session.textMessage(message.getPayloadAsText())));
      return new SimpleUrlHandlerMapping(java.util.Map.of("/socket", echo), -1);
    }
  }

  @RestController
  static class Controller {
    final Queue<Thread> threads = new ConcurrentLinkedQueue<>();
    volatile WebClient client;

    @PostMapping("/echo/{i}")
    Mono<String> echo(@PathVariable("i") int i, @RequestBody Mono<String> body) {
      threads.add(Thread.currentThread());
      return body.map(text -> text + " " + i);
    }

    @GetMapping(path = "/events", produces = MediaType.TEXT_EVENT_STREAM_VALUE)
    Flux<String> events() {
      return Flux.range(0, ITEMS).map(i -> "" + i);
    }

    @GetMapping("/relay/{i}")
    Mono<String> relay(@PathVariable("i") int i) {
      return client
          .post()
          .uri("/echo/{i}", i)
          .bodyValue("relayed")
          .retrieve()
          .bodyToMono(String.class);
    }
  }
}
