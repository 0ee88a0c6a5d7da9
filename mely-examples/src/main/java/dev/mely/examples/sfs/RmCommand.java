package dev.mely.examples.sfs;

import java.io.IOException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code sfs rm}: removes a file. */
@Command(name = "rm", description = "Removes a file, a link, or an empty directory.")
final class RmCommand extends ClientCommand {
  @Parameters(
      paramLabel = "PATH",
      converter = PathConverter.class,
      description = "sfs://KEY@HOST:PORT/PATH")
  private @Nullable RemotePath path;

  @Override
  void run() throws IOException {
    RemotePath asked = Objects.requireNonNull(path);
    connected(asked, client -> client.remove(asked.path()));
  }
}
