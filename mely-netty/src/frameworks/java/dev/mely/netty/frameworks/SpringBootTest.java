package dev.mely.netty.frameworks;

import static dev.mely.netty.frameworks.SpringBootBed.assertNoWorkerIsLeft;
import static dev.mely.netty.frameworks.SpringBootBed.client;
import static dev.mely.netty.frameworks.SpringBootBed.clientThread;
import static dev.mely.netty.frameworks.SpringBootBed.port;
import static dev.mely.netty.frameworks.SpringBootBed.serverThread;
import static dev.mely.netty.frameworks.SpringBootBed.start;
import static dev.mely.netty.frameworks.SpringBootBed.workers;
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
import java.io.File;
import java.io.InputStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
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
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.http.client.ReactorResourceFactory;
import org.springframework.web.reactive.function.client.WebClient;
import reactor.core.publisher.Flux;
import reactor.core.scheduler.NonBlocking;

/** Spring Boot with mely-netty on the class path: its auto-configuration, in real applications. */
@Timeout(300)
class SpringBootTest {
  private static final Duration PATIENCE = Duration.ofSeconds(TestGroup.PATIENCE_SECONDS);

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

  private static <T extends Throwable> T cause(Throwable thrown, Class<T> type) {
    for (Throwable t = thrown; t != null; t = t.getCause()) {
      if (type.isInstance(t)) {
        return type.cast(t);
      }
    }
    throw new AssertionError("no " + type, thrown);
  }

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
}
