package dev.mely.netty.frameworks.agent;

import io.micronaut.context.ApplicationContext;
import io.micronaut.runtime.server.EmbeddedServer;
import java.util.Map;

/** A Micronaut server, without a word of Mely. */
final class MicronautProgram {
  private MicronautProgram() {}

  public static void main(String[] arguments) throws Exception {
    Map<String, Object> properties =
        Map.of("micronaut.server.port", -1, "micronaut.netty.event-loops.default.num-threads", 2);
    try (EmbeddedServer server = ApplicationContext.run(EmbeddedServer.class, properties)) {
      Burn.drive(() -> new HttpConnection(server.getPort()));
    }
    System.exit(0);
  }
}
