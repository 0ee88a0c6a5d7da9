package dev.mely.netty.frameworks.agent;

import io.vertx.core.Vertx;
import java.util.concurrent.TimeUnit;

/** A Vert.x server, without a word of Mely. */
final class VertxProgram {
  private VertxProgram() {}

  public static void main(String[] arguments) throws Exception {
    Vertx vertx = Vertx.vertx();
    int port =
        vertx
            .createHttpServer()
            .requestHandler(request -> request.response().end(Burn.here()))
            .listen(0)
            .await(60, TimeUnit.SECONDS)
            .actualPort();
    Burn.drive(() -> new HttpConnection(port));
    System.exit(0);
  }
}
