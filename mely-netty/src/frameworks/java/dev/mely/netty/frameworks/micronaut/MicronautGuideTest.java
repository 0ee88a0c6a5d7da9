package dev.mely.netty.frameworks.micronaut;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.netty.MelyEventLoopGroup;
import dev.mely.netty.frameworks.Workers;
import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.runtime.Micronaut;
import io.micronaut.runtime.event.annotation.EventListener;
import io.micronaut.runtime.server.EmbeddedServer;
import io.micronaut.runtime.server.event.ServerStartupEvent;
import io.netty.channel.EventLoopGroup;
import jakarta.inject.Singleton;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Micronaut as docs/netty.md says. */
@Timeout(300)
class MicronautGuideTest {
  @Test
  void asInTheGuide() throws Exception {
    Application.main(
        new String[] {"--micronaut.server.port=-1", "--micronaut.server.host=localhost"});
    EmbeddedServer server = Started.SERVER.get(120, TimeUnit.SECONDS);
    MelyEventLoopGroup group =
        (MelyEventLoopGroup) server.getApplicationContext().getBean(EventLoopGroup.class);
    String answer = new String(server.getURL().openStream().readAllBytes());
    assertTrue(
        Workers.of(group).stream()
            .map(worker -> "served by " + worker.getName())
            .collect(Collectors.toSet())
            .contains(answer),
        answer);
    server.stop();
    assertTrue(group.isShuttingDown());
  }

  /** Tells of servers that have started. */
  @Singleton
  static class Started {
    static final CompletableFuture<EmbeddedServer> SERVER = new CompletableFuture<>();

    @EventListener
    void started(ServerStartupEvent event) {
      SERVER.complete(event.getSource());
    }
  }
}

@Controller
class Application {
  public static void main(String[] arguments) {
    Micronaut.run(Application.class, arguments);
  }

  @Get(produces = MediaType.TEXT_PLAIN)
  String greet() {
    return "served by " + Thread.currentThread().getName();
  }
}
