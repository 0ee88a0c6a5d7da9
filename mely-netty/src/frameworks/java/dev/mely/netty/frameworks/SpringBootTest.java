package dev.mely.netty.frameworks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.netty.LeakCounter;
import dev.mely.netty.MelyEventLoopGroup;
import dev.mely.netty.metrics.MelyMetrics;
import io.micrometer.core.instrument.MeterRegistry;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.util.concurrent.SingleThreadEventExecutor;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Field;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.health.registry.HealthContributorRegistry;
import org.springframework.boot.json.JsonParserFactory;
import org.springframework.boot.web.server.WebServer;
import org.springframework.boot.web.server.context.WebServerInitializedEvent;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ApplicationListener;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.http.client.ReactorResourceFactory;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.reactive.function.client.WebClient;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.NonBlocking;

/** Spring Boot with mely-netty on the class path: its auto-configuration, in real applications. */
@Timeout(300)
class SpringBootTest {
  private static final Duration PATIENCE = Duration.ofSeconds(TestGroup.PATIENCE_SECONDS);

  /** Not the default, and short, because each end of an application takes it. */
  private static final Duration QUIET_PERIOD = Duration.ofMillis(7);

  @AfterAll
  static void noBufferIsLost() {
    LeakCounter.assertNoLeaks();
  }

  @ParameterizedTest
  @ValueSource(strings = {"nio", "epoll", "auto"})
  void theServerAndItsWebClientRunOnTheWorkers(String transport) {
    try (ConfigurableApplicationContext context = start("--mely.transport=" + transport)) {
      Set<Thread> workers = workers(context);
      assertTrue(workers.contains(serverThread(context)));
      assertTrue(workers.contains(clientThread(context)));
    }
  }

  /** As reactor-netty's own: they hold no program up, and Reactor refuses to block on them. */
  @Test
  void workersAreDaemonsThatReactorDoesNotBlock() {
    try (ConfigurableApplicationContext context = start()) {
      Set<Thread> workers = workers(context);
      assertFalse(workers.isEmpty());
      assertTrue(workers.stream().allMatch(Thread::isDaemon));
      assertTrue(workers.stream().allMatch(NonBlocking.class::isInstance));
    }
  }

  @Test
  void aClientAloneRunsOnTheWorkers() {
    try (ConfigurableApplicationContext server = start();
        ConfigurableApplicationContext context = start(WebApplicationType.NONE, List.of())) {
      assertTrue(workers(context).contains(clientThread(client(context, server))));
    }
  }

  /** It takes what is global in reactor-netty. */
  @Test
  void aClientWithoutBootsBuilderDoesNotKnowTheGroup() {
    try (ConfigurableApplicationContext context = start()) {
      WebClient client = WebClient.create("http://127.0.0.1:" + port(context));
      assertTrue(clientThread(client).getName().startsWith("reactor-http"));
    }
  }

  @Test
  void aPropertySwitchesItOff() {
    try (ConfigurableApplicationContext context = start("--mely.enabled=false")) {
      assertEquals(0, context.getBeanNamesForType(MelyEventLoopGroup.class).length);
      assertTrue(serverThread(context).getName().startsWith("reactor-http"));
      assertTrue(clientThread(context).getName().startsWith("reactor-http"));
    }
  }

  /** Optional are Boot's module for reactor-netty, without which there is no group, and these. */
  @ParameterizedTest
  @CsvSource({
    "spring-boot-reactor-netty|reactor-netty-.*, 0",
    "spring-boot-health, 1",
    "micrometer-core|spring-boot-micrometer-metrics, 1"
  })
  void itDoesWithoutWhatIsMissing(String jars, int groups) throws Exception {
    Pattern missing = Pattern.compile("(" + jars + ")-\\d.*");
    List<URL> path = new ArrayList<>();
    int left = 0;
    for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
      Path file = Path.of(entry);
      if (missing.matcher(file.getFileName().toString()).matches()) {
        left++;
      } else {
        path.add(file.toUri().toURL());
      }
    }
    assertTrue(left > 0, "nothing is missing");
    Thread self = Thread.currentThread();
    ClassLoader before = self.getContextClassLoader();
    try (URLClassLoader loader =
        new URLClassLoader(path.toArray(URL[]::new), ClassLoader.getPlatformClassLoader())) {
      self.setContextClassLoader(loader);
      assertEquals(groups, loader.loadClass(Bare.class.getName()).getMethod("groups").invoke(null));
    } finally {
      self.setContextClassLoader(before);
    }
  }

  @ParameterizedTest
  @EnumSource
  void theProgramsOwnGroupWins(Setting setting) {
    try (TestGroup own = new TestGroup(setting)) {
      ApplicationContextInitializer<ConfigurableApplicationContext> bean =
          context ->
              ((GenericApplicationContext) context)
                  .registerBean(MelyEventLoopGroup.class, () -> own.group);
      try (ConfigurableApplicationContext context =
          start(WebApplicationType.REACTIVE, List.of(bean))) {
        assertSame(own.group, context.getBean(MelyEventLoopGroup.class));
        List<Integer> answers =
            Flux.range(0, 200)
                .flatMapSequential(
                    i ->
                        client(context, context)
                            .get()
                            .uri("/echo/{i}", i)
                            .retrieve()
                            .bodyToMono(String.class),
                    16)
                .map(Integer::valueOf)
                .collectList()
                .block(PATIENCE);
        assertEquals(Flux.range(0, 200).collectList().block(), answers);
        assertTrue(own.isWorker(serverThread(context)));
        assertTrue(own.isWorker(clientThread(context)));
      }
    }
  }

  @Test
  void theProgramsOwnResourceFactoryWins() {
    ApplicationContextInitializer<ConfigurableApplicationContext> bean =
        context ->
            ((GenericApplicationContext) context)
                .registerBean(ReactorResourceFactory.class, ReactorResourceFactory::new);
    try (ConfigurableApplicationContext context =
        start(WebApplicationType.REACTIVE, List.of(bean))) {
      assertEquals(0, context.getBeanNamesForType(MelyEventLoopGroup.class).length);
      assertTrue(serverThread(context).getName().startsWith("reactor-http"));
    }
  }

  /** It would have to guess. */
  @Test
  void aProgramWithTwoGroupsIsLeftAlone() {
    try (TestGroup one = new TestGroup(Setting.NIO);
        TestGroup other = new TestGroup(Setting.NIO)) {
      ApplicationContextInitializer<ConfigurableApplicationContext> beans =
          context -> {
            GenericApplicationContext registry = (GenericApplicationContext) context;
            registry.registerBean("one", MelyEventLoopGroup.class, () -> one.group);
            registry.registerBean("other", MelyEventLoopGroup.class, () -> other.group);
          };
      try (ConfigurableApplicationContext context =
          start(WebApplicationType.REACTIVE, List.of(beans))) {
        assertTrue(serverThread(context).getName().startsWith("reactor-http"));
        assertEquals(0, context.getBeanNamesForType(MelyMetrics.class).length);
        assertNull(context.getBean(HealthContributorRegistry.class).getContributor("mely"));
      }
    }
  }

  @Test
  void propertiesSetTheGroup() {
    try (ConfigurableApplicationContext context =
        start("--mely.cores=3", "--mely.transport=nio", "--mely.working-set=8MB")) {
      MelyEventLoopGroup group = context.getBean(MelyEventLoopGroup.class);
      assertEquals(3, group.executorCount());
      assertEquals(NioServerSocketChannel.class, group.serverSocketChannelType());
      assertNotNull(group.allocator());
    }
    try (ConfigurableApplicationContext context = start()) {
      assertNull(context.getBean(MelyEventLoopGroup.class).allocator());
    }
  }

  @ParameterizedTest
  @CsvSource({
    "mely.cores, 5000, between",
    "mely.transport, pigeon, unknown transport 'pigeon'; known: auto",
    "mely.transport, kqueue, netty-transport-native-kqueue",
    "mely.working-set, -1B, workingSet must be 0 or more bytes"
  })
  void aValueOutOfRangeIsSpringsOwnFailure(String name, String value, String reason) {
    Exception thrown = assertThrows(Exception.class, () -> start("--" + name + "=" + value));
    InvalidConfigurationPropertyValueException failure =
        cause(thrown, InvalidConfigurationPropertyValueException.class);
    assertEquals(name, failure.getName());
    assertTrue(failure.getReason().contains(reason), failure.getReason());
    assertNoWorkerIsLeft();
  }

  @ParameterizedTest
  @CsvSource({"mely.cores, many", "mely.working-set, large"})
  void aValueOfAnotherTypeIsSpringsOwnFailure(String name, String value) {
    Exception thrown = assertThrows(Exception.class, () -> start("--" + name + "=" + value));
    assertEquals(name, cause(thrown, BindException.class).getProperty().getName().toString());
    assertNoWorkerIsLeft();
  }

  /** What editors offer is what an application may set. */
  @Test
  @SuppressWarnings("unchecked")
  void theMetadataNamesEachProperty() throws Exception {
    Set<String> properties =
        Stream.of(Class.forName("dev.mely.netty.spring.MelyProperties").getRecordComponents())
            .map(part -> "mely." + DataObjectPropertyName.toDashedForm(part.getName()))
            .collect(Collectors.toSet());
    properties.add("mely.enabled");
    URL ours =
        new URL(
            MelyEventLoopGroup.class.getProtectionDomain().getCodeSource().getLocation(),
            "META-INF/spring-configuration-metadata.json");
    Map<String, Object> metadata;
    try (InputStream text = ours.openStream()) {
      metadata =
          JsonParserFactory.getJsonParser()
              .parseMap(new String(text.readAllBytes(), StandardCharsets.UTF_8));
    }
    assertEquals(
        properties,
        ((List<Object>) metadata.get("properties"))
            .stream()
                .map(property -> (String) ((Map<String, Object>) property).get("name"))
                .collect(Collectors.toSet()));
  }

  @Test
  void theRegistryHasTheMeters() {
    try (ConfigurableApplicationContext context = start()) {
      MeterRegistry registry = context.getBean(MeterRegistry.class);
      serverThread(context);
      assertTrue(registry.get("mely.channels").gauge().value() > 0);
      TestGroup.await() // a reading is kept for a while
          .until(
              () ->
                  registry.get("mely.events").functionCounters().stream()
                      .anyMatch(counter -> counter.count() > 0));
    }
  }

  @Test
  void healthIsThatOfTheGroup() {
    try (ConfigurableApplicationContext context = start("--mely.cores=2")) {
      HealthIndicator mely =
          (HealthIndicator) context.getBean(HealthContributorRegistry.class).getContributor("mely");
      Health up = mely.health();
      assertEquals(Status.UP, up.getStatus());
      assertEquals(2, up.getDetails().get("cores"));
      assertTrue((int) up.getDetails().get("channels") > 0);
      context.getBean(MelyEventLoopGroup.class).shutdownGracefully(0, 10, TimeUnit.SECONDS);
      assertEquals(Status.DOWN, mely.health().getStatus());
    }
    try (ConfigurableApplicationContext context = start("--management.health.mely.enabled=false")) {
      assertNull(context.getBean(HealthContributorRegistry.class).getContributor("mely"));
    }
  }

  /** The server takes no new connection, but answers, and only then the workers end. */
  @Test
  void aRequestUnderWayFinishes() throws Exception {
    ConfigurableApplicationContext context = start("--server.shutdown=graceful");
    Set<Thread> workers = workers(context);
    Controller controller = context.getBean(Controller.class);
    int port = port(context);
    CompletableFuture<HttpResponse<String>> answer =
        HttpClient.newHttpClient()
            .sendAsync(
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/late")).build(),
                HttpResponse.BodyHandlers.ofString());
    assertTrue(controller.asked.await(TestGroup.PATIENCE_SECONDS, TimeUnit.SECONDS));
    CompletableFuture<Void> closed = CompletableFuture.runAsync(context::close);
    TestGroup.await().until(() -> !accepts(port));
    assertFalse(closed.isDone());
    assertTrue(workers.stream().allMatch(Thread::isAlive));
    controller.late.tryEmitValue("late").orThrow();
    assertEquals("late", answer.get(TestGroup.PATIENCE_SECONDS, TimeUnit.SECONDS).body());
    closed.get(TestGroup.PATIENCE_SECONDS, TimeUnit.SECONDS);
    assertEnd(workers);
  }

  @Test
  void theQuietPeriodIsThatOfReactorNetty() throws Exception {
    try (ConfigurableApplicationContext context = start()) {
      Object factory = context.getBean("&melyEventLoopGroup");
      Field quietPeriod = factory.getClass().getDeclaredField("quietPeriod");
      quietPeriod.setAccessible(true);
      assertEquals(QUIET_PERIOD, quietPeriod.get(factory));
    }
  }

  @Test
  void whatIsStoppedAndStartedServesAgain() {
    try (ConfigurableApplicationContext context = start()) {
      MelyEventLoopGroup group = context.getBean(MelyEventLoopGroup.class);
      serverThread(context);
      context.stop();
      context.start();
      assertFalse(group.isShuttingDown());
      assertTrue(workers(context).contains(serverThread(context)));
      assertTrue(workers(context).contains(clientThread(context)));
    }
  }

  @Test
  void noThreadIsLeft() {
    for (int i = 0; i < 3; i++) {
      ConfigurableApplicationContext context = start();
      Set<Thread> workers = workers(context);
      assertFalse(workers.isEmpty());
      serverThread(context);
      context.close();
      context.close();
      assertEnd(workers);
    }
    assertNoWorkerIsLeft();
  }

  private static ConfigurableApplicationContext start(String... arguments) {
    return start(WebApplicationType.REACTIVE, List.of(), arguments);
  }

  private static ConfigurableApplicationContext start(
      WebApplicationType type,
      List<ApplicationContextInitializer<?>> initializers,
      String... arguments) {
    SpringApplication application = new SpringApplication(Application.class);
    application.setWebApplicationType(type);
    application.setInitializers(
        Stream.concat(application.getInitializers().stream(), initializers.stream()).toList());
    application.setRegisterShutdownHook(false);
    List<String> all = new ArrayList<>(List.of(arguments));
    all.addAll(
        List.of(
            "--server.port=0",
            "--server.address=127.0.0.1",
            "--spring.main.banner-mode=off",
            "--spring.reactor.netty.shutdown-quiet-period=" + QUIET_PERIOD.toMillis() + "ms"));
    return application.run(all.toArray(String[]::new));
  }

  private static int port(ConfigurableApplicationContext server) {
    return server.getBean(Ports.class).server.getPort();
  }

  private static WebClient client(
      ConfigurableApplicationContext client, ConfigurableApplicationContext server) {
    return client
        .getBean(WebClient.Builder.class)
        .baseUrl("http://127.0.0.1:" + port(server))
        .build();
  }

  /** The one that runs a controller's method. */
  private static Thread serverThread(ConfigurableApplicationContext context) {
    client(context, context)
        .get()
        .uri("/echo/1")
        .retrieve()
        .bodyToMono(String.class)
        .block(PATIENCE);
    return context.getBean(Controller.class).thread;
  }

  private static Thread clientThread(ConfigurableApplicationContext context) {
    return clientThread(client(context, context));
  }

  /** The one that gets an answer. */
  private static Thread clientThread(WebClient client) {
    return client
        .get()
        .uri("/echo/1")
        .retrieve()
        .bodyToMono(String.class)
        .map(answer -> Thread.currentThread())
        .block(PATIENCE);
  }

  private static Set<Thread> workers(ConfigurableApplicationContext context) {
    MelyEventLoopGroup group = context.getBean(MelyEventLoopGroup.class);
    Set<Long> ids =
        StreamSupport.stream(group.spliterator(), false)
            .map(loop -> ((SingleThreadEventExecutor) loop).threadProperties().id())
            .collect(Collectors.toSet());
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> ids.contains(thread.getId()))
        .collect(Collectors.toSet());
  }

  private static void assertEnd(Set<Thread> workers) {
    TestGroup.await().until(() -> workers.stream().noneMatch(Thread::isAlive));
  }

  /** No application of this process runs now. */
  private static void assertNoWorkerIsLeft() {
    TestGroup.await()
        .until(
            () ->
                Thread.getAllStackTraces().keySet().stream()
                    .noneMatch(thread -> thread.getName().matches("mely-\\d+-\\d+")));
  }

  private static boolean accepts(int port) {
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress("127.0.0.1", port));
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  private static <T extends Throwable> T cause(Throwable thrown, Class<T> type) {
    for (Throwable t = thrown; t != null; t = t.getCause()) {
      if (type.isInstance(t)) {
        return type.cast(t);
      }
    }
    throw new AssertionError("no " + type, thrown);
  }

  @SpringBootConfiguration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  @Import({Controller.class, Ports.class})
  static class Application {}

  /** Runs with another class loader, which sees less. */
  @SpringBootConfiguration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  public static class Bare {
    public static int groups() {
      SpringApplication application = new SpringApplication(Bare.class);
      application.setWebApplicationType(WebApplicationType.NONE);
      application.setRegisterShutdownHook(false);
      try (ConfigurableApplicationContext context =
          application.run("--spring.main.banner-mode=off", "--mely.transport=nio")) {
        return context.getBeanNamesForType(MelyEventLoopGroup.class).length;
      }
    }
  }

  /** Where the server listens now. */
  static class Ports implements ApplicationListener<WebServerInitializedEvent> {
    volatile WebServer server;

    @Override
    public void onApplicationEvent(WebServerInitializedEvent event) {
      server = event.getWebServer();
    }
  }

  @RestController
  static class Controller {
    final CountDownLatch asked = new CountDownLatch(1);
    final Sinks.One<String> late = Sinks.one();
    volatile Thread thread;

    @GetMapping("/echo/{i}")
    Mono<String> echo(@PathVariable("i") int i) {
      thread = Thread.currentThread();
      return Mono.just("" + i);
    }

    @GetMapping("/late")
    Mono<String> late() {
      asked.countDown();
      return late.asMono();
    }
  }
}
