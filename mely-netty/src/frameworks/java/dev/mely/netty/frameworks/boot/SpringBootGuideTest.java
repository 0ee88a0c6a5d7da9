package dev.mely.netty.frameworks.boot;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringApplicationRunListener;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** Spring WebFlux as docs/netty.md says. */
@Timeout(300)
class SpringBootGuideTest {
  @Test
  void asInTheGuide() throws Exception {
    CompletableFuture<ConfigurableApplicationContext> running = new CompletableFuture<>();
    SpringApplication.withHook(
        application ->
            new SpringApplicationRunListener() {
              @Override
              public void ready(ConfigurableApplicationContext context, Duration time) {
                running.complete(context);
              }
            },
        () -> Application.main(new String[] {"--server.port=0", "--mely.cores=2"}));
    try (ConfigurableApplicationContext context = running.get()) {
      String port = context.getEnvironment().getRequiredProperty("local.server.port");
      String answer =
          HttpClient.newHttpClient()
              .send(
                  HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port)).build(),
                  HttpResponse.BodyHandlers.ofString())
              .body();
      assertTrue(answer.matches("served by mely-\\d+-[12]"), answer);
    }
  }
}

@SpringBootApplication
@RestController
class Application {
  public static void main(String[] arguments) {
    SpringApplication.run(Application.class, arguments);
  }

  @GetMapping("/")
  String greet() {
    return "served by " + Thread.currentThread().getName(); // mely-1-1, mely-1-2, ...
  }
}
