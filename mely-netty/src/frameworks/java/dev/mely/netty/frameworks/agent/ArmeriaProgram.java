package dev.mely.netty.frameworks.agent;

import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.server.Server;

/** An Armeria server, without a word of Mely. */
final class ArmeriaProgram {
  private ArmeriaProgram() {}

  public static void main(String[] arguments) throws Exception {
    Server server =
        Server.builder()
            .http(0)
            .service("/burn", (context, request) -> HttpResponse.of(Burn.here()))
            .build();
    server.start().join();
    Burn.drive(() -> new HttpConnection(server.activeLocalPort()));
    server.stop().join();
    System.exit(0);
  }
}
