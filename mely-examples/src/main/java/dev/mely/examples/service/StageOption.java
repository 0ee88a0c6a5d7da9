package dev.mely.examples.service;

import dev.mely.Mely;
import dev.mely.MelyBuilder;
import dev.mely.examples.stingy.StageJson;
import dev.mely.stage.StageGraph;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** The option of every server that records its stages. */
public final class StageOption {
  @Option(
      names = "--stages",
      order = 1,
      paramLabel = "FILE",
      converter = InFolder.class,
      description =
          "Records which handler registers events for which other one, with costs and memory, and"
              + " writes this graph when the server stops, as JSON for 'stingy draw' and 'stingy"
              + " plan'.")
  private @Nullable Path file;

  /** For picocli. */
  public StageOption() {}

  /**
   * Returns whether stages are to be recorded.
   *
   * @return false by default
   */
  public boolean isOn() {
    return file != null;
  }

  /**
   * Returns how to build the server's runtime: with pinned workers, as in the papers.
   *
   * @return a new builder
   */
  public MelyBuilder runtime() {
    return Mely.builder().pinned(true).recordStages(isOn());
  }

  /**
   * Writes the file, if the option names one. Called after the server has stopped.
   *
   * @param name of the application
   * @param graph what was recorded
   * @param out gets a line that says what was written, or why it was not
   */
  public void write(String name, Supplier<StageGraph> graph, PrintWriter out) {
    if (file == null) {
      return;
    }
    try {
      StageGraph recorded = graph.get();
      StageJson.write(file, recorded);
      out.printf(
          Locale.ROOT, "%s: %d stages written to %s%n", name, recorded.stages().size(), file);
    } catch (IOException e) {
      out.printf(Locale.ROOT, "%s: the stages could not be written to %s: %s%n", name, file, e);
    }
    out.flush();
  }

  /** Checks the folder of the file at once, since the file is written only at the end. */
  private static final class InFolder implements ITypeConverter<Path> {
    @Override
    public Path convert(String name) {
      Path path = Path.of(name);
      Path folder = path.toAbsolutePath().getParent();
      if (folder == null || !Files.isDirectory(folder)) {
        throw new TypeConversionException("the folder of '" + name + "' does not exist");
      }
      return path;
    }
  }
}
