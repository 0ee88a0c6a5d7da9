package dev.mely.examples.sfs;

import dev.mely.examples.service.CoreTable;
import dev.mely.examples.service.PlanOption;
import dev.mely.examples.service.ServerCommand;
import java.io.IOException;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code sfs serve}: serves a folder until it is interrupted. */
@Command(
    name = "serve",
    description = "Serves a folder to clients whose keys it knows, until it is interrupted.",
    footer =
        "%nAbove --max-clients, a new connection replaces the oldest one whose handshake is not"
            + " complete, or is closed if there is none. --idle-timeout closes a connection that"
            + " sends no request, or reads no answer, for this time.")
final class ServeCommand extends ServerCommand<SfsServer> {
  @Mixin private SfsConfig config = new SfsConfig();

  @Mixin private PlanOption plan = new PlanOption();

  @Override
  protected String name() {
    return "sfs";
  }

  @Override
  protected SfsServer start() throws IOException {
    return SfsServer.start(config, plan.plan(stages.runtime()));
  }

  @Override
  protected String describe(SfsServer server) {
    return server.description();
  }

  @Override
  protected String report(SfsServer server) {
    return String.format(
            Locale.ROOT,
            "clients: %,d served, %,d turned away; requests: %,d%n",
            server.served.sum(),
            server.turnedAway.sum() + server.clients().refused(),
            server.answers.sum())
        + CoreTable.format(CoreTable.rows(server.statistics()))
        + plan.report(name(), server.statistics());
  }
}
