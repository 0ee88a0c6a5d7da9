package dev.mely.netty.frameworks;

import static dev.mely.netty.frameworks.SpringBootBed.assertNoWorkerIsLeft;
import static dev.mely.netty.frameworks.SpringBootBed.clientThread;
import static dev.mely.netty.frameworks.SpringBootBed.port;
import static dev.mely.netty.frameworks.SpringBootBed.serverThread;
import static dev.mely.netty.frameworks.SpringBootBed.start;
import static dev.mely.netty.frameworks.SpringBootBed.workers;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.netty.LeakCounter;
import dev.mely.netty.MelyEventLoopGroup;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.WebApplicationType;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.AnnotatedBeanDefinitionReader;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.support.GenericApplicationContext;

/** What is left of a Spring Boot application with mely-netty on the class path: nothing. */
@Timeout(300)
class SpringBootEndTest {
  @AfterAll
  static void noBufferIsLost() {
    LeakCounter.assertNoLeaks();
  }

  /** The server takes no new connection, but answers, and only then the workers end. */
  @Test
  void aRequestUnderWayFinishes() throws Exception {
    ConfigurableApplicationContext context = start("--server.shutdown=graceful");
    Set<Thread> workers = workers(context);
    SpringBootBed.Controller controller = context.getBean(SpringBootBed.Controller.class);
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
    ConfigurableApplicationContext context =
        start(
            "--spring.reactor.netty.shutdown-quiet-period=" + QuietPeriod.LENGTH.toSeconds() + "s");
    QuietPeriod.assertKept(context.getBean(MelyEventLoopGroup.class), context);
  }

  @Test
  void theProgramsOwnGroupEndsToo() throws Exception {
    ApplicationContextInitializer<ConfigurableApplicationContext> bean =
        context ->
            new AnnotatedBeanDefinitionReader((GenericApplicationContext) context)
                .register(OwnGroup.class);
    ConfigurableApplicationContext context = start(WebApplicationType.REACTIVE, List.of(bean));
    MelyEventLoopGroup group = context.getBean(MelyEventLoopGroup.class);
    assertSame(group, context.getBean("own"));
    context.close();
    assertTrue(group.isShuttingDown());
    TestGroup.await().until(group::isTerminated);
  }

  @Configuration(proxyBeanMethods = false)
  static class OwnGroup {
    @Bean
    MelyEventLoopGroup own() {
      return MelyEventLoopGroup.builder().build();
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

  private static void assertEnd(Set<Thread> workers) {
    TestGroup.await().until(() -> workers.stream().noneMatch(Thread::isAlive));
  }

  private static boolean accepts(int port) {
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress("127.0.0.1", port));
      return true;
    } catch (IOException e) {
      return false;
    }
  }
}
