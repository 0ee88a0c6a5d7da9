package dev.mely.examples.demo;

import dev.mely.examples.Ending;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code demo}: a page that shows what Mely changes, for a load that is set there. */
@Command(
    name = "demo",
    description = {
      "Shows in a browser what Mely changes: the same server on Netty's own event loop group and on"
          + " Mely's, each a process, and a load that is set on the page; until it is interrupted"
          + " (Ctrl-C).",
      "",
      "The two servers take turns of a second, so that each has the machine for itself. While no"
          + " page is open there is no load."
    },
    sortOptions = false,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "1:could not start, or its processes end again and again",
      "2:an option is wrong",
      "130, 143:interrupted or terminated"
    })
public final class DemoCommand implements Callable<Integer> {
  private static final Duration LONGEST_END = Duration.ofSeconds(20);
  private static final int MOST_PORT = 65_535;

  /** With more, few of the connections would share an event loop. */
  private static final int USUAL_CORES = 4;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--port",
      paramLabel = "PORT",
      description =
          "Of the page, on this machine; 0: any that is free (default: ${DEFAULT-VALUE}).")
  private int port = 7070;

  @Option(names = "--open", description = "Opens the page in the browser.")
  private boolean open;

  @Option(
      names = "--cores",
      paramLabel = "N",
      description = "Event loops of each server at first (default: all CPUs, but 4 at most).")
  private @Nullable Integer cores;

  /** For picocli. */
  public DemoCommand() {}

  @Override
  public Integer call() throws InterruptedException {
    int cpus = Runtime.getRuntime().availableProcessors();
    int first = cores == null ? Math.min(cpus, USUAL_CORES) : cores;
    check("--port", port, 0, MOST_PORT);
    check("--cores", first, 1, cpus);
    PrintWriter err = spec.commandLine().getErr();
    try (Demo demo = new Demo(port, first, cpus, err)) {
      Ending.onSignal("demo", LONGEST_END, demo::close);
      say("http://localhost:" + demo.port() + "/");
      demo.run();
      return 0;
    } catch (IOException e) {
      err.println("demo: " + e.getMessage());
      err.flush();
      return 1;
    }
  }

  private void say(String page) {
    PrintWriter out = spec.commandLine().getOut();
    out.println("mely demo: " + page);
    out.println("The servers take turns of a second while the page is open. Ctrl-C ends.");
    if (open && !Browser.open(page)) {
      out.println("No browser was found: open the page yourself.");
    }
    out.flush();
  }

  private void check(String option, int value, int least, int most) {
    if (value < least || value > most) {
      throw new ParameterException(
          spec.commandLine(),
          option + " must be from " + least + " to " + most + ", but is " + value);
    }
  }
}
