package dev.mely.examples.kv;

import dev.mely.Mely;
import dev.mely.Migrating;
import dev.mely.examples.service.CoreServer;
import dev.mely.examples.service.Server;
import dev.mely.examples.service.ServiceConfig;
import java.io.IOException;
import java.time.Duration;

/** What tests run: any port, and colors that go to a core drawn at random when they wake up. */
final class Kv {
  /** A value that is as long as one may be. */
  static final String MEGABYTE = "x".repeat(1 << 20);

  private Kv() {}

  static Server start(long seed) throws IOException {
    return start(seed, Duration.ZERO);
  }

  static Server start(long seed, Duration idleTimeout) throws IOException {
    return CoreServer.start(
        new ServiceConfig(KvCommand::protocol, 0)
            .cores(2)
            .maxClients(1000)
            .idleTimeout(idleTimeout),
        Migrating.on(Mely.builder(), seed));
  }
}
