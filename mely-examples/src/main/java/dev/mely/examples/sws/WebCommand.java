package dev.mely.examples.sws;

import dev.mely.examples.service.CoreTable;
import dev.mely.examples.service.ServerCommand;
import dev.mely.examples.service.StageOption;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Runs a build of the web server until the process is told to stop. */
@Command(
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:stopped",
      "1:could not start, for example because the port is taken; or could not stop in time",
      "2:an option is wrong",
      "130, 143:interrupted or terminated, after the responses in flight have been sent"
    })
abstract class WebCommand extends ServerCommand<WebServer> {
  @Mixin final SwsConfig config = new SwsConfig();

  @Mixin final StageOption stages = new StageOption();

  WebCommand() {
    super("the responses in flight have");
  }

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

  @Override
  protected final StageOption stages() {
    return stages;
  }
}
