package dev.mely.examples.service;

import dev.mely.Mely;
import java.io.IOException;
import java.util.Locale;
import java.util.function.Function;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Runs a protocol as a server until the process is told to stop. */
@Command(
    footer = {
      "%nConnections above --max-clients are closed at once. With --idle-timeout 0, idle"
          + " connections stay open."
    })
public abstract class ServiceCommand extends ServerCommand<Server> {
  @Option(
      names = "--on",
      paramLabel = "NAME",
      description =
          "Transport: core (dev.mely.nio) or netty (with Mely's event loop group); default: core.")
  private String on = "core";

  @Mixin private ServiceConfig config;

  /**
   * For subclasses.
   *
   * @param protocol makes the protocol; given the runtime, whose colors its connections may share
   * @param usualPort where to listen if the command line does not say
   * @param sendBuffer size of the sockets' send buffers in bytes; 0: the operating system's default
   */
  protected ServiceCommand(Function<Mely, Protocol> protocol, int usualPort, int sendBuffer) {
    config = new ServiceConfig(protocol, usualPort).sendBuffer(sendBuffer);
  }

  @Override
  protected Server start() throws IOException {
    return switch (on.toLowerCase(Locale.ROOT)) {
      case "core" -> CoreServer.start(config, stages.runtime());
      case "netty" -> NettyServer.start(config, stages.isOn());
      default ->
          throw new IllegalArgumentException("unknown transport '" + on + "': use core or netty");
    };
  }

  @Override
  protected String describe(Server server) {
    return String.format(
        Locale.ROOT,
        "listening at %s on %s, %s, at most %,d clients",
        CoreListener.text(server.address()),
        server.runsOn(),
        config.about(),
        config.maxClients());
  }

  @Override
  protected String report(Server server) {
    Clients clients = server.clients();
    return String.format(
            Locale.ROOT,
            "connections: %,d served, %,d turned away%n",
            clients.served(),
            clients.refused())
        + CoreTable.format(CoreTable.rows(server.statistics()));
  }
}
