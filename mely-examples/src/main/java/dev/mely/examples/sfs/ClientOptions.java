package dev.mely.examples.sfs;

import dev.mely.Mely;
import dev.mely.nio.Nio;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/** Common options of the client's commands: key and timeout; and their connection. */
@Command(
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:done",
      "1:the server refused it, cannot be reached, or has another key",
      "2:an option is wrong"
    })
class ClientOptions {
  private static final Duration PAUSE = Duration.ofMillis(500);

  @Spec(Spec.Target.MIXEE)
  private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--key",
      paramLabel = "FILE",
      description = "This client's key file, made by 'sfs keygen' (default: ${DEFAULT-VALUE}).")
  private Path key = Path.of(System.getProperty("user.home", "."), ".sfs", "key");

  @Option(
      names = "--timeout",
      paramLabel = "SECONDS",
      defaultValue = "30",
      description = "How long to wait for an answer (default: ${DEFAULT-VALUE}).")
  private int timeout = 30;

  /** Uses a connection. */
  interface Use {
    void with(SfsClient client) throws IOException;
  }

  /** A command's work. */
  interface Work {
    void run() throws IOException;
  }

  /** Does a command's work, and prints a failure; returns the exit code. */
  static int attempt(PrintWriter err, Work work) {
    try {
      work.run();
      return 0;
    } catch (IOException e) {
      String kind = e instanceof FileSystemException ? e.getClass().getSimpleName() + ": " : "";
      err.println("sfs: " + Printable.of(kind + e.getMessage()));
      err.flush();
      return 1;
    }
  }

  /**
   * Connects, and uses the connection. If it breaks, connects and uses again.
   *
   * @param retries how often to connect again
   * @return the exit code
   */
  final int connected(RemotePath server, int retries, Use use) {
    return attempt(err(), () -> connect(server, retries, use));
  }

  private void connect(RemotePath server, int retries, Use use) throws IOException {
    try (Nio nio = Nio.start(Mely.builder().cores(1).pinned(false))) {
      boolean known = false;
      for (int left = retries; ; left--) {
        try (SfsClient client =
            SfsClient.connect(nio, server, self(), RekeyRule.DEFAULT, patience())) {
          known = true;
          use.with(client);
          return;
        } catch (SfsException | FileSystemException e) {
          throw e; // not a connection failure
        } catch (IOException e) {
          if (left == 0 || !known) {
            throw e;
          }
          err().println("sfs: " + Printable.of(String.valueOf(e.getMessage())) + "; trying again");
          err().flush();
        }
        LockSupport.parkNanos(PAUSE.toNanos()); // the next await notices an interrupt
      }
    }
  }

  /** Reads the key file. */
  final Identity self() throws IOException {
    return Identity.load(key);
  }

  /** The timeout of an answer. */
  final Duration patience() {
    return Duration.ofSeconds(timeout);
  }

  final PrintWriter out() {
    return spec.commandLine().getOut();
  }

  final PrintWriter err() {
    return spec.commandLine().getErr();
  }

  /** Reads a {@link RemotePath}. */
  static final class PathConverter implements ITypeConverter<RemotePath> {
    @Override
    public RemotePath convert(String text) {
      try {
        return RemotePath.parse(text);
      } catch (IllegalArgumentException e) {
        throw new TypeConversionException(String.valueOf(e.getMessage()));
      }
    }
  }
}
