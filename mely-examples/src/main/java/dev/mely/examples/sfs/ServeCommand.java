package dev.mely.examples.sfs;

import dev.mely.examples.service.CoreTable;
import dev.mely.examples.service.PlanOption;
import dev.mely.examples.service.ServerCommand;
import dev.mely.examples.service.StageOption;
import java.io.IOException;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code sfs serve}: serves a folder until it is interrupted. */
@Command(
    name = "serve",
    description = "Serves a folder to clients whose keys it knows, until it is interrupted.",
    sortOptions = false,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "1:could not start, for example because the port is taken; or could not stop in time",
      "2:an option is wrong",
      "130, 143:interrupted or terminated, after the answers in flight have been sent"
    })
final class ServeCommand extends ServerCommand<SfsServer> {
  @Mixin private SfsConfig config = new SfsConfig();

  @Mixin private StageOption stages = new StageOption();

  @Mixin private PlanOption plan = new PlanOption();

  ServeCommand() {
    super("the answers in flight have");
  }

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
            server.turnedAway.sum(),
            server.answers.sum())
        + CoreTable.format(CoreTable.rows(server.statistics()))
        + plan.report(name(), server.statistics());
  }

  @Override
  protected StageOption stages() {
    return stages;
  }
}
