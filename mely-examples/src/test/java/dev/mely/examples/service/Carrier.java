package dev.mely.examples.service;

import dev.mely.Mely;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.function.Function;

/** What tests run a protocol on. */
public enum Carrier {
  CORE {
    @Override
    Server start(ServiceConfig config) throws IOException {
      return CoreServer.start(config, Mely.builder().pinned(true));
    }
  },
  NETTY {
    @Override
    Server start(ServiceConfig config) throws IOException {
      return NettyServer.start(config, false);
    }
  };

  abstract Server start(ServiceConfig config) throws IOException;

  /** Starts a server on any free port, with two cores, for a protocol with a color of its own. */
  public Server start(Function<Executor, Protocol> protocol) throws IOException {
    return start(protocol, 10_000, 0);
  }

  /** The same with a limit on clients and a send buffer. */
  public Server start(Function<Executor, Protocol> protocol, int maxClients, int sendBuffer)
      throws IOException {
    return start(protocol, maxClients, sendBuffer, Duration.ZERO);
  }

  /** The same with an end to idleness. */
  public Server start(
      Function<Executor, Protocol> protocol, int maxClients, int sendBuffer, Duration idleTimeout)
      throws IOException {
    return serve(
        mely -> protocol.apply(mely.executor(mely.newColor())),
        maxClients,
        sendBuffer,
        idleTimeout);
  }

  /** The same for a protocol that makes its colors itself. */
  public Server serve(
      Function<Mely, Protocol> protocol, int maxClients, int sendBuffer, Duration idleTimeout)
      throws IOException {
    return start(
        new ServiceConfig(protocol, 0)
            .cores(2)
            .maxClients(maxClients)
            .idleTimeout(idleTimeout)
            .sendBuffer(sendBuffer));
  }
}
