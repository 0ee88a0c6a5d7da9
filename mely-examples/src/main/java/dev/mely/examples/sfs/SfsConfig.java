package dev.mely.examples.sfs;

import dev.mely.examples.SecondsConverter;
import dev.mely.examples.service.RuntimeOptions;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * What a server is started with: the options of {@code sfs serve}, each with its default. Not
 * thread-safe; a server that has it does not change it.
 */
final class SfsConfig {
  private static final Duration HANDSHAKE = Duration.ofSeconds(10);

  @Option(
      names = "--root",
      paramLabel = "DIR",
      description = "The folder to serve (default: the current one).")
  private Path root = Path.of(".");

  @Option(
      names = "--key",
      paramLabel = "FILE",
      required = true,
      description = "The server's key file, made by 'sfs keygen'.")
  private @Nullable Path key;

  @Option(
      names = "--clients",
      paramLabel = "FILE",
      required = true,
      description =
          "Who may use it: a line for each client with its public key, ro or rw, and a comment.")
  private @Nullable Path known;

  @Option(
      names = "--bind",
      paramLabel = "ADDRESS",
      description = "The local address to listen on; 0.0.0.0 for all (default: 127.0.0.1).")
  private String bind = "127.0.0.1";

  @Option(
      names = "--port",
      paramLabel = "N",
      description = "The port to listen on; 0 for any free one (default: ${DEFAULT-VALUE}).")
  private int port = RemotePath.DEFAULT_PORT;

  @Mixin private RuntimeOptions runtime = new RuntimeOptions();

  @Option(
      names = "--max-clients",
      paramLabel = "N",
      description = "How many connections there may be at a time (default: ${DEFAULT-VALUE}).")
  private int maxClients = 1000;

  @Option(
      names = "--idle-timeout",
      paramLabel = "SECONDS",
      converter = SecondsConverter.class,
      description = "When to end a connection that asks nothing, or reads nothing (default: 120).")
  private Duration idle = Duration.ofMinutes(2);

  @Option(
      names = "--lease",
      paramLabel = "SECONDS",
      converter = SecondsConverter.class,
      description = "How long clients may cache what they are told (default: 60).")
  private Duration lease = Duration.ofMinutes(1);

  private @Nullable Identity identity;
  private @Nullable KnownClients clients;
  private @Nullable Duration handshake;
  private RekeyRule rekey = RekeyRule.DEFAULT;

  /** For the command line, which gives the files of keys. */
  SfsConfig() {}

  /** Has the defaults, but for the port: any free one. */
  SfsConfig(Path root, Identity identity, KnownClients clients) {
    this.root = root;
    this.identity = identity;
    this.clients = clients;
    this.port = 0;
  }

  /**
   * Reads the files, and checks the values.
   *
   * @throws IllegalArgumentException if one is out of range; the message names it
   * @throws IOException if a file cannot be read, or is none of keys
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
    runtime.check(0);
    RuntimeOptions.check("max-clients", maxClients, 1, 1_000_000);
    RuntimeOptions.check("handshake timeout", handshake(), 1);
    RuntimeOptions.check("idle timeout", idle, 1);
    RuntimeOptions.check("lease", lease, 1);
    for (Path secret : secrets()) {
      if (secret.toRealPath().startsWith(root.toRealPath())) {
        throw new IllegalArgumentException("'" + secret + "' lies in the folder to be served");
      }
    }
  }

  private List<Path> secrets() {
    return key == null || known == null ? List.of() : List.of(key, known);
  }

  SfsConfig maxClients(int value) {
    maxClients = value;
    return this;
  }

  SfsConfig handshake(Duration value) {
    handshake = value;
    return this;
  }

  SfsConfig idle(Duration value) {
    idle = value;
    return this;
  }

  SfsConfig drain(Duration value) {
    runtime.drainTimeout(value);
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

  InetSocketAddress address() {
    return RuntimeOptions.address(bind, port);
  }

  RuntimeOptions runtime() {
    return runtime;
  }

  int maxClients() {
    return maxClients;
  }

  /** How long a client may take to say who it is. */
  Duration handshake() {
    return handshake != null ? handshake : idle.compareTo(HANDSHAKE) < 0 ? idle : HANDSHAKE;
  }

  /** After how long without a whole request, or a byte read by the client, it is ended. */
  Duration idle() {
    return idle;
  }

  Duration lease() {
    return lease;
  }

  /** When keys are changed. */
  RekeyRule rekey() {
    return rekey;
  }
}
