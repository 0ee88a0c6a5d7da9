package dev.mely.netty.frameworks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.mely.Color;
import dev.mely.Mely;
import dev.mely.netty.LeakCounter;
import dev.mely.netty.MelyEventLoopGroup;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.core.task.support.TaskExecutorAdapter;
import org.springframework.http.server.reactive.ReactorHttpHandlerAdapter;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.reactive.config.BlockingExecutionConfigurer;
import org.springframework.web.reactive.config.EnableWebFlux;
import org.springframework.web.reactive.config.WebFluxConfigurer;
import org.springframework.web.server.adapter.WebHttpHandlerBuilder;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;
import reactor.netty.DisposableServer;
import reactor.netty.http.HttpProtocol;
import reactor.netty.http.client.HttpClient;
import reactor.netty.http.server.HttpServer;
import reactor.netty.resources.ConnectionProvider;

/** Reactor's scheduler of a color, under reactor-netty and Spring WebFlux: H2C, one connection. */
@Timeout(300)
class ReactorColorsTest {
  private static final Duration PATIENCE = Duration.ofSeconds(TestGroup.PATIENCE_SECONDS);
  private static final int ITEMS = 10_000;
  private static final int CORES = 3;

  @AfterAll
  static void noBufferIsLost() {
    LeakCounter.assertNoLeaks();
  }

  // ---- The scheduler

  @ParameterizedTest
  @EnumSource
  void streamsOfAColorKeepTheirOrderAndExcludeEachOther(Setting setting) {
    try (TestGroup loops = newGroup(setting)) {
      Mely mely = loops.group.mely();
      Color color = mely.newColor();
      Serial inColor = new Serial();
      List<Serial> streams = new ArrayList<>();
      List<Mono<Void>> ends = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        Serial stream = new Serial();
        streams.add(stream);
        ends.add(
            Flux.range(0, ITEMS)
                .publishOn(Schedulers.fromExecutor(mely.executor(color)), 16)
                .doOnNext(
                    item ->
                        inColor.run(
                            () -> {
                              stream.expectNext(item);
                              if (!color.isCurrent()) {
                                inColor.fault("not in the color");
                              }
                            }))
                .subscribeOn(Schedulers.fromExecutor(mely.executor(mely.newColor())))
                .then());
      }
      Mono.when(ends).block(PATIENCE);
      streams.forEach(stream -> stream.assertFaultless(ITEMS));
      inColor.assertFaultless();
    }
  }

  @ParameterizedTest
  @EnumSource
  void aWorkerThatIsDisposedRunsNothingMore(Setting setting) throws Exception {
    try (TestGroup loops = newGroup(setting)) {
      Mely mely = loops.group.mely();
      Scheduler scheduler = Schedulers.fromExecutor(mely.executor(mely.newColor()));
      Scheduler.Worker worker = scheduler.createWorker();
      CountDownLatch begun = new CountDownLatch(1);
      CountDownLatch goOn = new CountDownLatch(1);
      CountDownLatch last = new CountDownLatch(1);
      AtomicBoolean late = new AtomicBoolean();
      worker.schedule(
          () -> {
            begun.countDown();
            await(goOn);
          });
      worker.schedule(() -> late.set(true));
      await(begun);
      worker.dispose();
      assertThrows(RejectedExecutionException.class, () -> worker.schedule(() -> late.set(true)));
      scheduler.schedule(last::countDown); // runs behind all tasks of the color
      goOn.countDown();
      await(last);
      assertFalse(late.get());
    }
  }

  /** As the guide says: such a scheduler has no timers. */
  @ParameterizedTest
  @EnumSource
  void delaysAreRefused(Setting setting) {
    try (TestGroup loops = newGroup(setting)) {
      Mely mely = loops.group.mely();
      Scheduler scheduler = Schedulers.fromExecutor(mely.executor(mely.newColor()));
      assertThrows(
          RejectedExecutionException.class,
          () -> scheduler.schedule(() -> {}, 1, TimeUnit.SECONDS));
    }
  }

  // ---- reactor-netty

  @ParameterizedTest
  @EnumSource
  void requestsOfOneConnectionRunAtOnce(Setting setting) {
    Meeting meeting = new Meeting();
    Set<Object> connections = ConcurrentHashMap.newKeySet();
    try (TestGroup loops = newGroup(setting)) {
      MelyEventLoopGroup group = loops.group;
      DisposableServer server =
          newServer(group)
              .handle(
                  (request, response) -> {
                    connections.add(request.remoteAddress());
                    Scheduler color =
                        Schedulers.fromExecutor(group.mely().executor(group.mely().newColor()));
                    return response.sendString(Mono.fromCallable(meeting::join).subscribeOn(color));
                  })
              .bindNow(PATIENCE);
      assertEquals(List.of("met", "met"), getTwice(group, server));
      assertEquals(1, connections.size());
      server.disposeNow(PATIENCE);
    }
  }

  /** docs/netty.md. */
  @ParameterizedTest
  @EnumSource
  void asInTheGuide(Setting setting) {
    try (TestGroup loops = newGroup(setting)) {
      MelyEventLoopGroup group = loops.group;
      Mely mely = group.mely();
      HttpServer server = newServer(group);
      HttpServer handling =
          server.handle(
              (request, response) -> {
                Scheduler order =
                    Schedulers.fromExecutor(mely.executor(mely.color(request.path())));
                return response.sendString(
                    Mono.fromCallable(() -> book(request.path())).subscribeOn(order));
              });
      DisposableServer running = handling.bindNow(PATIENCE);
      assertEquals(List.of("booked", "booked"), getTwice(group, running));
      running.disposeNow(PATIENCE);
    }
  }

  private static String book(String order) {
    return order.isEmpty() ? "booked" : order;
  }

  // ---- Spring WebFlux

  @ParameterizedTest
  @EnumSource
  void controllersOfOneConnectionRunAtOnce(Setting setting) {
    try (TestGroup loops = newGroup(setting);
        AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
      MelyEventLoopGroup group = loops.group;
      context.registerBean(Controller.class);
      context.registerBean(ColorConfigurer.class, () -> new ColorConfigurer(group.mely()));
      context.register(Application.class);
      context.refresh();
      DisposableServer server =
          newServer(group)
              .handle(
                  new ReactorHttpHandlerAdapter(
                      WebHttpHandlerBuilder.applicationContext(context).build()))
              .bindNow(PATIENCE);
      assertEquals(List.of("met", "met"), getTwice(group, server));
      server.disposeNow(PATIENCE);
    }
  }

  record ColorConfigurer(Mely mely) implements WebFluxConfigurer {
    @Override
    public void configureBlockingExecution(BlockingExecutionConfigurer configurer) {
      configurer.setExecutor(new TaskExecutorAdapter(mely.executor()));
    }
  }

  @EnableWebFlux
  static class Application {}

  @RestController
  static class Controller {
    private final Meeting meeting = new Meeting();

    @GetMapping("/")
    String join() {
      return meeting.join();
    }
  }

  // ----

  private static TestGroup newGroup(Setting setting) {
    return new TestGroup(setting, CORES);
  }

  private static HttpServer newServer(MelyEventLoopGroup group) {
    return HttpServer.create().host("127.0.0.1").port(0).protocol(HttpProtocol.H2C).runOn(group);
  }

  /** Two answers, to requests in one connection that are on their way at the same time. */
  private static List<String> getTwice(MelyEventLoopGroup group, DisposableServer server) {
    ConnectionProvider pool = ConnectionProvider.create("one", 1);
    Mono<String> get =
        HttpClient.create(pool)
            .runOn(group)
            .protocol(HttpProtocol.H2C)
            .get()
            .uri("http://127.0.0.1:" + server.port() + "/")
            .responseContent()
            .aggregate()
            .asString();
    List<String> answers = Flux.merge(get, get).collectList().block(PATIENCE);
    pool.disposeLater().block(PATIENCE);
    return answers;
  }

  private static void await(CountDownLatch latch) {
    try {
      assertEquals(true, latch.await(TestGroup.PATIENCE_SECONDS, TimeUnit.SECONDS));
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
