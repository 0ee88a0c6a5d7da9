package dev.mely.examples.sfs;

import java.io.IOException;
import java.nio.charset.CharsetEncoder;
import java.time.Instant;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code sfs ls}: lists a directory, or says what a file is. */
@Command(name = "ls", description = "Lists a directory of a server: type, size, time and name.")
final class LsCommand extends ClientCommand {
  @Parameters(
      paramLabel = "PATH",
      converter = PathConverter.class,
      description = "sfs://KEY@HOST:PORT/PATH")
  private @Nullable RemotePath path;

  /** What the terminal can be expected to show. */
  private final CharsetEncoder terminal = Printable.terminal().newEncoder();

  private boolean unprintable;

  @Override
  void run() throws IOException {
    RemotePath asked = Objects.requireNonNull(path);
    connected(
        asked,
        client -> {
          Attributes attributes = client.stat(asked.path());
          if (attributes.type() != Attributes.Type.DIRECTORY) {
            print(asked.name(), attributes);
            return;
          }
          for (SfsClient.Entry entry : client.list(asked.path())) {
            print(entry.name(), entry.attributes());
          }
        });
    out().flush();
    if (unprintable) {
      err().println("sfs: this locale has not all characters of these names; set LC_ALL=C.UTF-8");
      err().flush();
    }
  }

  private void print(String name, Attributes attributes) {
    unprintable |= !terminal.canEncode(name);
    long second = Math.floorDiv(attributes.modified(), TimeUnit.SECONDS.toNanos(1));
    out()
        .printf(
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
            Printable.of(name));
  }
}
