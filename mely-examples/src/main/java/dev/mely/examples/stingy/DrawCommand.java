package dev.mely.examples.stingy;

import dev.mely.stage.StageGraph;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code stingy draw}: a stage graph as a diagram. */
@Command(
    name = "draw",
    description =
        "Prints the stages that a server has recorded as a Mermaid flowchart, which forges draw"
            + " where it stands in Markdown.",
    sortOptions = false,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {"0:drawn", "1:the file cannot be read", "2:an option is wrong"})
final class DrawCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Parameters(index = "0", paramLabel = "GRAPH", description = "A file of --stages.")
  private Path file = Path.of("");

  @Option(names = "--dot", description = "Prints the language of Graphviz instead.")
  private boolean dot;

  @Override
  public Integer call() {
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
