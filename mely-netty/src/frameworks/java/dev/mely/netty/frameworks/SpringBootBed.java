package dev.mely.netty.frameworks;

import dev.mely.netty.MelyEventLoopGroup;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.web.server.WebServer;
import org.springframework.boot.web.server.context.WebServerInitializedEvent;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ApplicationListener;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.reactive.function.client.WebClient;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** Spring Boot applications with mely-netty on the class path: how tests start and ask them. */
final class SpringBootBed {
  private static final Duration PATIENCE = Duration.ofSeconds(TestGroup.PATIENCE_SECONDS);

  private SpringBootBed() {}

  static ConfigurableApplicationContext start(String... arguments) {
    return start(WebApplicationType.REACTIVE, List.of(), arguments);
  }

  static ConfigurableApplicationContext start(
      WebApplicationType type,
      List<ApplicationContextInitializer<?>> initializers,
      String... arguments) {
    SpringApplication application = new SpringApplication(Application.class);
    application.setWebApplicationType(type);
    application.setInitializers(
        Stream.concat(application.getInitializers().stream(), initializers.stream()).toList());
    application.setRegisterShutdownHook(false);
    application.setDefaultProperties(
        Map.of(
            "server.port", 0,
            "server.address", "127.0.0.1",
            "spring.main.banner-mode", "off",
            // Short, because each end of an application takes it.
            "spring.reactor.netty.shutdown-quiet-period", "7ms"));
    return application.run(arguments);
  }

  static int port(ConfigurableApplicationContext server) {
    return server.getBean(Ports.class).server.getPort();
  }

  static WebClient client(
      ConfigurableApplicationContext client, ConfigurableApplicationContext server) {
    return client
        .getBean(WebClient.Builder.class)
        .baseUrl("http://127.0.0.1:" + port(server))
        .build();
  }

  /** The one that runs a controller's method. */
  static Thread serverThread(ConfigurableApplicationContext context) {
    client(context, context)
        .get()
        .uri("/echo/1")
        .retrieve()
        .bodyToMono(String.class)
        .block(PATIENCE);
    return context.getBean(Controller.class).thread;
  }

  static Thread clientThread(ConfigurableApplicationContext context) {
    return clientThread(client(context, context));
  }

  /** The one that gets an answer. */
  static Thread clientThread(WebClient client) {
    return client
        .get()
        .uri("/echo/1")
        .retrieve()
        .bodyToMono(String.class)
        .map(answer -> Thread.currentThread())
        .block(PATIENCE);
  }

  static Set<Thread> workers(ConfigurableApplicationContext context) {
    return Workers.of(context.getBean(MelyEventLoopGroup.class));
  }

  /** No application of this process runs now. */
  static void assertNoWorkerIsLeft() {
    TestGroup.await()
        .until(
            () ->
                Thread.getAllStackTraces().keySet().stream()
                    .noneMatch(thread -> thread.getName().matches("mely-\\d+-\\d+")));
  }

  @SpringBootConfiguration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  @Import({Controller.class, Ports.class})
  static class Application {}

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
