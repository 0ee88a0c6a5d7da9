package dev.mely.examples.sfs;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** What the commands that move whole files have in common. */
abstract class TransferCommand extends ClientCommand {
  @Option(
      names = "--retries",
      paramLabel = "N",
      defaultValue = "3",
      description =
          "How often to connect again when the connection breaks; the transfer goes on where it"
              + " was, as it does when the command is given again (default: ${DEFAULT-VALUE}).")
  private int retries = 3;

  @Option(
      names = "--progress",
      negatable = true,
      description = "Show a progress bar (default: where TERM is set).")
  private @Nullable Boolean progress;

  final int retries() {
    return retries;
  }

  final Progress progress(String name) {
    boolean visible = progress == null ? System.getenv("TERM") != null : progress;
    return new Progress(name, err(), visible);
  }
}
