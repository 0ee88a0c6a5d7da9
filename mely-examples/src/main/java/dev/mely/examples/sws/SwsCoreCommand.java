package dev.mely.examples.sws;

import dev.mely.examples.Main;
import dev.mely.examples.service.StageOption;
import dev.mely.stage.Plan;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** {@code sws-core}: serves a folder without Netty until it is interrupted. */
@Command(
    name = "sws-core",
    description =
        "Serves a folder over HTTP/1.1 on dev.mely.nio, with the nine handlers and the colors of"
            + " the Mely paper, until it is interrupted (Ctrl-C).",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    versionProvider = Main.Version.class)
public final class SwsCoreCommand extends WebCommand {
  @Option(
      names = "--coloring",
      paramLabel = "NAME",
      converter = ColoringConverter.class,
      description =
          "mely: an immutable map of responses (default); 2003: a page cache in ten parts with a"
              + " color each, and hashing outside of them, as in the libasync-smp paper.")
  private Coloring coloring = Coloring.MELY;

  @Option(
      names = "--plan",
      paramLabel = "FILE",
      description =
          "A plan of 'stingy plan': responses are made in a pool of each core, of so many instances"
              + " of the object 'response', and beside it when that is empty (default: no pool).")
  private @Nullable Path plan;

  /** Made by the command line alone. */
  public SwsCoreCommand() {}

  @Override
  WebServer start(SwsConfig.Builder config, StageOption stages) throws IOException {
    Plan planned = plan == null ? Plan.of(Map.of()) : read(plan);
    return SwsCoreServer.start(config.build(), coloring, stages.runtime(), planned);
  }

  private static Plan read(Path file) throws IOException {
    try {
      return Plan.parse(Files.readString(file));
    } catch (NoSuchFileException e) {
      throw new IOException("there is no plan '" + file + "'", e);
    } catch (IllegalArgumentException e) {
      throw new IOException("'" + file + "' is no plan: " + e.getMessage(), e);
    }
  }

  /** Reads a {@link Coloring}. */
  static final class ColoringConverter implements ITypeConverter<Coloring> {
    @Override
    public Coloring convert(String name) {
      try {
        return Coloring.parse(name);
      } catch (IllegalArgumentException e) {
        throw new TypeConversionException(String.valueOf(e.getMessage()));
      }
    }
  }
}
