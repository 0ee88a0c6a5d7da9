package dev.mely.examples.sfs;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Common options of the commands that transfer whole files. */
final class TransferOptions extends ClientOptions {
  @Option(
      names = "--retries",
      paramLabel = "N",
      defaultValue = "3",
      description =
          "How often to connect again when the connection breaks; the transfer continues where it"
              + " stopped, as it does when the command is run again (default: ${DEFAULT-VALUE}).")
  private int retries = 3;

  @Option(
      names = "--progress",
      negatable = true,
      description = "Show a progress bar (default: where TERM is set).")
  private @Nullable Boolean progress;

  /** Transfers a file. */
  interface Transfer {
    void with(SfsClient client, Progress progress) throws IOException;
  }

  /** Connects, again after a broken connection, and shows the progress. */
  int transfer(RemotePath server, String name, Transfer transfer) {
    boolean visible = progress == null ? System.getenv("TERM") != null : progress;
    Progress shown = new Progress(name, err(), visible);
    return connected(server, retries, client -> transfer.with(client, shown));
  }
}
