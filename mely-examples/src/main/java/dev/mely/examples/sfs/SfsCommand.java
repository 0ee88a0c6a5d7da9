package dev.mely.examples.sfs;

import dev.mely.examples.sfs.ClientOptions.PathConverter;
import dev.mely.examples.sfs.SfsClient.Entry;
import dev.mely.examples.sws.FileName;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.CharsetEncoder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code sfs}: the secure file server, its client, and the papers' benchmark. */
@Command(
    name = "sfs",
    description = {
      "A secure file server and its client. Both are authenticated by keys: the server's is part"
          + " of the path, sfs://KEY@HOST:PORT/PATH, which the server prints when it starts."
    },
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {ServeCommand.class, BenchCommand.class},
    footerHeading = "%nTo try it:%n",
    footer = {
      "  sfs keygen server.key",
      "  sfs keygen client.key",
      "  echo \"$(sfs keygen --show client.key) rw me\" > clients",
      "  sfs serve --root DIR --key server.key --clients clients",
      "  sfs ls --key client.key sfs://KEY@127.0.0.1:4430/"
    })
public final class SfsCommand implements Runnable {
  private static final String PATH = "sfs://KEY@HOST:PORT/PATH";

  @Spec private CommandSpec spec = CommandSpec.create();

  /** For picocli. */
  public SfsCommand() {}

  /** Without a subcommand there is nothing to run. */
  @Override
  public void run() {
    throw new ParameterException(
        spec.commandLine(), "Name what to do: serve, keygen, ls, get, put, mv, rm or bench.");
  }

  @Command(
      name = "keygen",
      description = "Makes a key pair, for a server or a client, and prints the public key.")
  int keygen(
      @Option(names = "--show", description = "Only print the public key of a file that exists.")
          boolean show,
      @Parameters(paramLabel = "FILE", description = "The key file.") Path file) {
    return ClientOptions.attempt(
        spec.commandLine().getErr(),
        () -> {
          Identity identity = show ? Identity.load(file) : Identity.generate();
          if (!show) {
            identity.save(file);
          }
          spec.commandLine().getOut().println(identity.id());
          spec.commandLine().getOut().flush();
        });
  }

  @Command(
      name = "ls",
      description = "Lists a directory of a server, or one file: type, size, time and name.")
  int ls(
      @Mixin ClientOptions options,
      @Parameters(paramLabel = "PATH", converter = PathConverter.class, description = PATH)
          RemotePath path) {
    return options.connected(
        path,
        0,
        client -> {
          Attributes attributes = client.stat(path.path());
          boolean directory = attributes.type() == Attributes.Type.DIRECTORY;
          Entry itself = new Entry(path.name(), attributes);
          print(directory ? client.list(path.path()) : List.of(itself), options);
        });
  }

  private static void print(List<Entry> entries, ClientOptions options) {
    CharsetEncoder terminal = Printable.terminal().newEncoder();
    PrintWriter out = options.out();
    for (Entry entry : entries) {
      Attributes attributes = entry.attributes();
      long second = Math.floorDiv(attributes.modified(), TimeUnit.SECONDS.toNanos(1));
      out.printf(
          Locale.ROOT,
          "%s %15d %s %s%n",
          switch (attributes.type()) {
            case FILE -> "-";
            case DIRECTORY -> "d";
            case LINK -> "l";
            case OTHER -> "?";
          },
          attributes.size(),
          Instant.ofEpochSecond(second),
          Printable.of(entry.name()));
    }
    out.flush();
    if (!entries.stream().allMatch(entry -> terminal.canEncode(entry.name()))) {
      PrintWriter err = options.err();
      err.println("sfs: this locale lacks characters of these names; set LC_ALL=C.UTF-8");
      err.flush();
    }
  }

  @Command(
      name = "get",
      description = {
        "Fetches a file. A partial file is kept in .NAME.VERSION.part beside the target, and"
            + " continued when the command is run again."
      })
  int get(
      @Mixin TransferOptions options,
      @Parameters(paramLabel = "PATH", converter = PathConverter.class, description = PATH)
          RemotePath from,
      @Parameters(
              paramLabel = "FILE",
              defaultValue = ".",
              description = "Where to write it: a file or a folder (default: the current folder).")
          Path to) {
    return options.transfer(
        from,
        from.name(),
        (client, progress) -> {
          if (from.name().isEmpty()) {
            throw new SfsException(Status.WRONG_TYPE, "Name a file to get.");
          }
          Path target =
              Files.isDirectory(to) ? to.resolve(FileName.path(from.name())).normalize() : to;
          new Transfers(client).get(from.path(), target.toAbsolutePath(), progress);
        });
  }

  @Command(
      name = "put",
      description = {
        "Stores a file. A partial file is kept in .NAME.VERSION.part beside the target, and"
            + " continued when the command is run again."
      })
  int put(
      @Mixin TransferOptions options,
      @Parameters(paramLabel = "FILE", description = "The file to store.") Path from,
      @Parameters(
              paramLabel = "PATH",
              converter = PathConverter.class,
              description = PATH + ", the name that the file shall have, or a directory.")
          RemotePath to) {
    String name = FileName.text(from.toAbsolutePath().normalize());
    return options.transfer(
        to,
        String.valueOf(name),
        (client, progress) ->
            new Transfers(client).put(from, place(client, to.path(), name), progress));
  }

  /** The file's path on the server. */
  private static String place(SfsClient client, String path, @Nullable String name)
      throws IOException {
    if (name == null) {
      throw new SfsException(Status.BAD_REQUEST, "The name of the file is not UTF-8.");
    }
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

  @Command(name = "mv", description = "Renames a file or a directory; replaces an existing file.")
  int mv(
      @Mixin ClientOptions options,
      @Parameters(paramLabel = "PATH", converter = PathConverter.class, description = PATH)
          RemotePath from,
      @Parameters(
              paramLabel = "NEW",
              description = "The new path on the same server, relative to the served folder.")
          String to) {
    String target = to.startsWith("/") ? to.substring(1) : to;
    return options.connected(from, 0, client -> client.rename(from.path(), target));
  }

  @Command(name = "rm", description = "Removes a file, a link, or an empty directory.")
  int rm(
      @Mixin ClientOptions options,
      @Parameters(paramLabel = "PATH", converter = PathConverter.class, description = PATH)
          RemotePath path) {
    return options.connected(path, 0, client -> client.remove(path.path()));
  }
}
