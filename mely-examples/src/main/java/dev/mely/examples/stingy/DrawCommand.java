package dev.mely.examples.stingy;

import dev.mely.examples.Main;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code stingy draw}: a stage graph as a picture. */
@Command(
    name = "draw",
    description = "Draws the stages that a server has recorded.",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    versionProvider = Main.Version.class,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {"0:drawn", "1:a file cannot be read or written", "2:an option is wrong"})
final class DrawCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Parameters(index = "0", paramLabel = "GRAPH", description = "A .json file of --stages.")
  private Path graph = Path.of("");

  @Parameters(
      index = "1",
      paramLabel = "PICTURE",
      converter = GraphFile.Converter.class,
      description = "The file to write: .svg, .png, or .json for a copy.")
  @SuppressWarnings("NullAway.Init") // by the command line
  private GraphFile picture;

  @Override
  public Integer call() {
    try {
      picture.write(GraphFile.read(graph));
      return 0;
    } catch (IOException | IllegalArgumentException e) {
      PrintWriter err = spec.commandLine().getErr();
      err.println("stingy draw: " + GraphFile.explain(e));
      err.flush();
      return 1;
    }
  }
}
