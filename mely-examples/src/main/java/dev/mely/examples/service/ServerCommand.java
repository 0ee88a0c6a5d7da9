package dev.mely.examples.service;

import dev.mely.examples.Ending;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * Runs a server until the process is told to stop.
 *
 * @param <S> the server
 */
@Command(
    sortOptions = false,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:stopped",
      "1:could not start, for example because the port is taken; or could not stop in time",
      "2:an option is wrong",
      "130, 143:interrupted or terminated, after pending answers have been sent"
    })
public abstract class ServerCommand<S extends Running> implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();

  /** Whether its stages are recorded. */
  @Mixin protected final StageOption stages = new StageOption();

  /** For subclasses. */
  protected ServerCommand() {}

  /**
   * Starts the server.
   *
   * @return the server, accepting connections
   * @throws IllegalArgumentException if an option is wrong; the message names it
   * @throws IOException if it cannot start; the message says why
   */
  protected abstract S start() throws IOException;

  /**
   * Describes a running server.
   *
   * @param server running
   * @return a line to print
   */
  protected abstract String describe(S server);

  /**
   * Describes what a server has done.
   *
   * @param server stopped
   * @return lines to print; the first follows the application's name
   */
  protected abstract String report(S server);

  /**
   * Returns what the printed lines begin with.
   *
   * @return the name of the application
   */
  protected String name() {
    return spec.name();
  }

  /** Runs the server until the process is told to stop. */
  @Override
  public final Integer call() throws InterruptedException {
    PrintWriter out = spec.commandLine().getOut();
    S server;
    try {
      server = start();
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
    } catch (IOException e) {
      PrintWriter err = spec.commandLine().getErr();
      err.println(name() + ": " + e.getMessage());
      err.flush();
      return 1;
    }
    out.println(name() + ": " + describe(server));
    out.flush();
    Ending.onSignal(name(), server.longestClose(), () -> stop(server, out));
    server.awaitClose();
    return 0;
  }

  private void stop(S server, PrintWriter out) {
    out.println(name() + ": stopping, once pending answers have been sent");
    out.flush();
    server.close();
    out.print(name() + ": " + report(server));
    out.flush();
    stages.write(name(), server::stages, out);
  }
}
