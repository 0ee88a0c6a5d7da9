package dev.mely.examples.sws;

import dev.mely.examples.service.PlanOption;
import java.io.IOException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code sws-core}: serves a folder without Netty until it is interrupted. */
@Command(
    name = "sws-core",
    description =
        "Serves a folder over HTTP/1.1 on dev.mely.nio, with the nine handlers and the colors of"
            + " the Mely paper, until it is interrupted (Ctrl-C).")
public final class SwsCoreCommand extends WebCommand {
  @Option(
      names = "--coloring",
      paramLabel = "NAME",
      converter = ColoringConverter.class,
      description =
          "mely: an immutable map of responses (default); 2003: a page cache in ten parts with a"
              + " color each, and hashing outside of them, as in the libasync-smp paper.")
  private Coloring coloring = Coloring.MELY;

  @Mixin private PlanOption plan = new PlanOption();

  /** For picocli. */
  public SwsCoreCommand() {}

  @Override
  protected WebServer start() throws IOException {
    return SwsCoreServer.start(config, coloring, plan.plan(stages.runtime()));
  }

  private static final class ColoringConverter extends NameConverter<Coloring> {
    ColoringConverter() {
      super("coloring", Coloring.values());
    }
  }
}
