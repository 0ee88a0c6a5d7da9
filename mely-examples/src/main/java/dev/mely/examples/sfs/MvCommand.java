package dev.mely.examples.sfs;

import java.io.IOException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code sfs mv}: gives a file another name. */
@Command(
    name = "mv",
    description = "Gives a file or a directory another name, which replaces a file of that name.")
final class MvCommand extends ClientCommand {
  @Parameters(
      index = "0",
      paramLabel = "PATH",
      converter = PathConverter.class,
      description = "sfs://KEY@HOST:PORT/PATH")
  private @Nullable RemotePath from;

  @Parameters(
      index = "1",
      paramLabel = "NEW",
      description = "The new path on the same server, from the served folder on.")
  private String to = "";

  @Override
  void run() throws IOException {
    RemotePath source = Objects.requireNonNull(from);
    String target = to.startsWith("/") ? to.substring(1) : to;
    connected(source, client -> client.rename(source.path(), target));
  }
}
