package dev.mely.examples.sfs;

import dev.mely.examples.sws.FileName;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code sfs put}: stores a file. */
@Command(
    name = "put",
    description = {
      "Stores a file. What was sent so far is kept in .NAME.VERSION.part beside the target, and used"
          + " when the command is given again."
    })
final class PutCommand extends TransferCommand {
  @Parameters(index = "0", paramLabel = "FILE", description = "The file to store.")
  private Path from = Path.of("");

  @Parameters(
      index = "1",
      paramLabel = "PATH",
      converter = PathConverter.class,
      description = "sfs://KEY@HOST:PORT/PATH, the name that the file shall have, or a directory.")
  private @Nullable RemotePath to;

  @Override
  void run() throws IOException {
    RemotePath target = Objects.requireNonNull(to);
    String name = FileName.text(from.toAbsolutePath().normalize());
    if (name == null) {
      throw new IOException("the name of the file is not UTF-8");
    }
    Progress progress = progress(name);
    connected(
        target,
        retries(),
        client -> new Transfers(client).put(from, place(client, target.path(), name), progress));
  }

  /** The file's path on the server. */
  private static String place(SfsClient client, String path, String name) throws IOException {
    if (path.isEmpty()) {
      return name;
    }
    try {
      boolean directory = client.stat(path).type() == Attributes.Type.DIRECTORY;
      return directory ? path + "/" + name : path;
    } catch (SfsException e) {
      if (e.status() == Status.NOT_FOUND) {
        return path;
      }
      throw e;
    }
  }
}
