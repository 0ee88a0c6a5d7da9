package dev.mely.examples.sfs;

import dev.mely.examples.SecondsConverter;
import dev.mely.examples.service.ServerOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/**
 * Configuration of a server: the options of {@code sfs serve} with their defaults. Above the
 * maximum of clients, a new connection replaces one whose handshake is not complete.
 */
final class SfsConfig extends ServerOptions<SfsConfig> {
  private static final Duration HANDSHAKE = Duration.ofSeconds(10);

  @Option(
      names = "--root",
      order = -2,
      paramLabel = "DIR",
      description = "The folder to serve (default: the current one).")
  private Path root = Path.of(".");

  @Option(
      names = "--key",
      order = -2,
      paramLabel = "FILE",
      required = true,
      description = "The server's key file, made by 'sfs keygen'.")
  private @Nullable Path key;

  @Option(
      names = "--clients",
      order = -2,
      paramLabel = "FILE",
      required = true,
      description =
          "The clients: a line for each one with its public key, ro or rw, and a comment.")
  private @Nullable Path known;

  @Option(
      names = "--lease",
      paramLabel = "SECONDS",
      converter = SecondsConverter.class,
      description = "How long clients may cache attributes (default: 60).")
  private Duration lease = Duration.ofMinutes(1);

  private @Nullable Identity identity;
  private @Nullable KnownClients clients;
  private @Nullable Duration handshake;
  private RekeyRule rekey = RekeyRule.DEFAULT;

  /** For the command line, which sets the key files. */
  SfsConfig() {
    super(RemotePath.DEFAULT_PORT, 1000, 120);
  }

  /** Sets the defaults, with any free port. */
  SfsConfig(Path root, Identity identity, KnownClients clients) {
    super(0, 1000, 120);
    this.root = root;
    this.identity = identity;
    this.clients = clients;
  }

  /**
   * Reads the key files, and checks the values.
   *
   * @throws IllegalArgumentException if a value is out of range; the message names it
   * @throws IOException if a file cannot be read, or is not a key file
   */
  void check() throws IOException {
    address();
    if (identity == null && key != null) {
      identity = Identity.load(key);
    }
    if (clients == null && known != null) {
      clients = KnownClients.load(known);
    }
    if (!Files.isDirectory(root)) {
      throw new IllegalArgumentException(
          "root '" + root + "' " + (Files.exists(root) ? "is not a directory" : "does not exist"));
    }
    check(0, 1_000_000, 1);
    check("handshake timeout", handshake(), 1);
    check("lease", lease, 1);
    for (Path secret : secrets()) {
      if (secret.toRealPath().startsWith(root.toRealPath())) {
        throw new IllegalArgumentException("'" + secret + "' lies in the folder to be served");
      }
    }
  }

  private List<Path> secrets() {
    return key == null || known == null ? List.of() : List.of(key, known);
  }

  SfsConfig handshake(Duration value) {
    handshake = value;
    return this;
  }

  SfsConfig lease(Duration value) {
    lease = value;
    return this;
  }

  SfsConfig rekey(RekeyRule value) {
    rekey = value;
    return this;
  }

  Path root() {
    return root;
  }

  Identity identity() {
    return Objects.requireNonNull(identity);
  }

  KnownClients clients() {
    return Objects.requireNonNull(clients);
  }

  /** How long a client may take for the handshake. */
  Duration handshake() {
    Duration idle = idleTimeout();
    return handshake != null ? handshake : idle.compareTo(HANDSHAKE) < 0 ? idle : HANDSHAKE;
  }

  Duration lease() {
    return lease;
  }

  /** When keys are changed. */
  RekeyRule rekey() {
    return rekey;
  }
}
