package dev.mely.examples.sfs;

import dev.mely.examples.sws.FileName;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code sfs get}: fetches a file. */
@Command(
    name = "get",
    description = {
      "Fetches a file. What was fetched so far is kept in .NAME.VERSION.part beside the target,"
          + " and used when the command is given again."
    })
final class GetCommand extends TransferCommand {
  @Parameters(
      index = "0",
      paramLabel = "PATH",
      converter = PathConverter.class,
      description = "sfs://KEY@HOST:PORT/PATH")
  private @Nullable RemotePath from;

  @Parameters(
      index = "1",
      arity = "0..1",
      paramLabel = "FILE",
      description = "Where to put it: a file or a folder (default: the current folder).")
  private Path to = Path.of(".");

  @Override
  void run() throws IOException {
    RemotePath source = Objects.requireNonNull(from);
    if (source.name().isEmpty()) {
      throw new IOException("name a file to get");
    }
    Path target = Files.isDirectory(to) ? to.resolve(FileName.path(source.name())).normalize() : to;
    Progress progress = progress(source.name());
    connected(
        source,
        retries(),
        client -> new Transfers(client).get(source.path(), target.toAbsolutePath(), progress));
  }
}
