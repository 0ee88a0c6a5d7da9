package dev.mely.examples.sfs;

import dev.mely.Mely;
import dev.mely.nio.Nio;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/** What the client's commands have in common: a key, patience, and a connection. */
@Command(
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:done",
      "1:the server has refused it, is not there, or is another one",
      "2:an option is wrong"
    })
abstract class ClientCommand implements Callable<Integer> {
  private static final Duration PAUSE = Duration.ofMillis(500);

  @Spec private CommandSpec spec = CommandSpec.create();

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

  /** What one connection is used for. */
  interface Use {
    void with(SfsClient client) throws IOException;
  }

  /** Does the command's work. */
  abstract void run() throws IOException;

  @Override
  public final Integer call() {
    try {
      run();
      return 0;
    } catch (IOException e) {
      String reason =
          e instanceof FileSystemException
              ? e.getClass().getSimpleName() + ": " + e.getMessage()
              : String.valueOf(e.getMessage());
      err().println("sfs: " + Printable.of(reason));
      err().flush();
      return 1;
    }
  }

  /** Connects, and has a connection used. */
  final void connected(RemotePath server, Use use) throws IOException {
    connected(server, 0, use);
  }

  /**
   * The same; if the connection breaks, another one is made, and used again.
   *
   * @param retries how often
   */
  final void connected(RemotePath server, int retries, Use use) throws IOException {
    Identity self = Identity.load(key);
    Duration patience = Duration.ofSeconds(timeout);
    try (Nio nio = Nio.start(Mely.builder().cores(1).pinned(false))) {
      boolean known = false;
      for (int left = retries; ; left--) {
        try (SfsClient client = SfsClient.connect(nio, server, self, RekeyRule.DEFAULT, patience)) {
          known = true;
          use.with(client);
          return;
        } catch (SfsException | FileSystemException e) {
          throw e; // another connection would not help
        } catch (IOException e) {
          if (left == 0 || !known) {
            throw e;
          }
          err().println("sfs: " + Printable.of(String.valueOf(e.getMessage())) + "; once more");
          err().flush();
        }
        pause();
      }
    }
  }

  private static void pause() throws IOException {
    try {
      Thread.sleep(PAUSE.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
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
