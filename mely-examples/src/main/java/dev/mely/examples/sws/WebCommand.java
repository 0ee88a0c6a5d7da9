package dev.mely.examples.sws;

import dev.mely.examples.service.CoreTable;
import dev.mely.examples.service.ServerCommand;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Runs one of the web servers until the process is told to stop. */
@Command(footer = "%nConnections above --max-clients get 503.")
abstract class WebCommand extends ServerCommand<WebServer> {
  @Mixin final SwsConfig config = new SwsConfig();

  @Override
  protected final String describe(WebServer server) {
    return server.description();
  }

  @Override
  protected final String report(WebServer server) {
    return String.format(
            Locale.ROOT,
            "connections: %,d served, %,d turned away%n",
            server.served(),
            server.refused())
        + CoreTable.format(server.cores());
  }
}
