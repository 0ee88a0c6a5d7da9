package dev.mely.examples.sws;

import dev.mely.examples.Ending;
import dev.mely.examples.service.CoreTable;
import dev.mely.examples.service.StageOption;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Runs a build of the web server until the process is told to stop. */
@Command(
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:stopped",
      "1:could not start, for example because the port is taken; or could not stop in time",
      "2:an option is wrong",
      "130, 143:interrupted or terminated, after the responses in flight have been sent"
    })
abstract class WebCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Mixin private WebOptions options = new WebOptions();

  @Mixin private StageOption stages = new StageOption();

  /**
   * Starts the server.
   *
   * @param config what the options of both builds say
   * @param stages whether its stages are recorded
   * @throws IllegalArgumentException if one of the others is wrong
   */
  abstract WebServer start(SwsConfig.Builder config, StageOption stages) throws IOException;

  /** Runs the server until the process is told to stop. */
  @Override
  public Integer call() {
    PrintWriter out = spec.commandLine().getOut();
    String name = spec.name();
    WebServer server;
    try {
      server = start(options.config(), stages);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
    } catch (IOException e) {
      PrintWriter err = spec.commandLine().getErr();
      err.println(name + ": " + e.getMessage());
      err.flush();
      return 1;
    }
    out.println(name + ": " + server.description());
    out.flush();
    Ending.onSignal(name, server.longestClose(), () -> stop(name, server, out));
    server.awaitClose();
    return 0;
  }

  private void stop(String name, WebServer server, PrintWriter out) {
    out.println(name + ": stopping, once the responses in flight have been sent");
    out.flush();
    server.close();
    out.printf(
        Locale.ROOT,
        "%s: connections: %,d served, %,d turned away%n",
        name,
        server.served(),
        server.refused());
    out.print(CoreTable.format(server.cores()));
    out.flush();
    stages.write(name, server::stages, out);
  }
}
