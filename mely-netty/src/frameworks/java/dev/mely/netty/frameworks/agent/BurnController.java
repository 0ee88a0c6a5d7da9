package dev.mely.netty.frameworks.agent;

import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;

/** What {@link MicronautProgram} serves. */
@Controller("/burn")
class BurnController {
  @Get(produces = MediaType.TEXT_PLAIN)
  String burn() {
    return Burn.here();
  }
}
