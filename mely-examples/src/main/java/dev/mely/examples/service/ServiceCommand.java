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
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:stopped",
      "1:could not start, for example because the port is taken",
      "2:an option is wrong",
      "130, 143:interrupted or terminated, after what was owed has been sent"
    })
public abstract class ServiceCommand extends ServerCommand<Server> {
  @Option(
      names = "--on",
      paramLabel = "NAME",
      description =
          "core, which is dev.mely.nio, or netty, with Mely's event loop group (default: core).")
  private String on = "core";

  @Mixin private ServiceConfig config;

  @Mixin private StageOption stages = new StageOption();

  /**
   * Called by the applications.
   *
   * @param protocol makes the protocol; given the runtime, whose colors its connections may share
   * @param usualPort where to listen if the command line does not say
   */
  protected ServiceCommand(Function<Mely, Protocol> protocol, int usualPort) {
    this(protocol, usualPort, 0);
  }

  /**
   * Called by the applications.
   *
   * @param protocol makes the protocol; given the runtime, whose colors its connections may share
   * @param usualPort where to listen if the command line does not say
   * @param sendBuffer how much the operating system shall hold for a client; 0: as it likes
   */
  protected ServiceCommand(Function<Mely, Protocol> protocol, int usualPort, int sendBuffer) {
    super("what is owed has");
    config = new ServiceConfig(protocol, usualPort).sendBuffer(sendBuffer);
  }

  @Override
  protected Server start() throws IOException {
    return switch (on.toLowerCase(Locale.ROOT)) {
      case "core" -> CoreServer.start(config, stages.runtime());
      case "netty" -> NettyServer.start(config, stages.isOn());
      default ->
          throw new IllegalArgumentException("unknown carrier '" + on + "': use core or netty");
    };
  }

  @Override
  protected String describe(Server server) {
    return String.format(
        Locale.ROOT,
        "listening at %s on %s, %s, at most %,d clients",
        CoreListener.text(server.address()),
        server.runsOn(),
        config.runtime().describe(),
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

  @Override
  protected StageOption stages() {
    return stages;
  }
}
