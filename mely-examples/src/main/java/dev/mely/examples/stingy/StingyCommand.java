package dev.mely.examples.stingy;

import dev.mely.stage.StageGraph;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code stingy}: diagrams and memory plans from a recorded stage graph. */
@Command(
    name = "stingy",
    description =
        "Works with the stages that a server has recorded (--stages graph.json): draws them, and"
            + " plans how much memory they may keep.",
    synopsisSubcommandLabel = "COMMAND",
    subcommands = PlanCommand.class)
public final class StingyCommand implements Runnable {
  @Spec private CommandSpec spec = CommandSpec.create();

  /** For picocli. */
  public StingyCommand() {}

  /** Without a subcommand there is nothing to do. */
  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "Name what to do: draw or plan.");
  }

  @Command(
      name = "draw",
      description =
          "Prints the stages that a server has recorded as a Mermaid flowchart, which code hosts"
              + " draw where it stands in Markdown.",
      exitCodeListHeading = "%nExit codes:%n",
      exitCodeList = {"0:drawn", "1:the file cannot be read", "2:an option is wrong"})
  int draw(
      @Option(names = "--dot", description = "Prints DOT, the language of Graphviz, instead.")
          boolean dot,
      @Parameters(paramLabel = "GRAPH", description = "A file written by --stages.") Path file) {
    try {
      StageGraph graph = StageJson.graph(file);
      PrintWriter out = spec.commandLine().getOut();
      out.print(dot ? StageDiagram.dot(graph) : StageDiagram.mermaid(graph));
      out.flush();
      return 0;
    } catch (IOException | IllegalArgumentException e) {
      PrintWriter err = spec.commandLine().getErr();
      err.println("stingy draw: " + StageJson.explain(e));
      err.flush();
      return 1;
    }
  }
}
