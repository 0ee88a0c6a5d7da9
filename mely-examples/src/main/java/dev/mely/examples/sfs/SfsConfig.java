package dev.mely.examples.sfs;

import dev.mely.StealPolicy;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/**
 * What a server is started with; immutable and valid.
 *
 * @param root the folder to serve, an existing directory
 * @param identity the server's key pair
 * @param clients who may use it
 * @param bind the local address to listen on
 * @param port the port to listen on; 0: any free one
 * @param cores how many cores the runtime has; 0: all there are
 * @param policy how idle cores steal
 * @param maxClients how many connections there may be at a time
 * @param handshake how long a client may take to say who it is
 * @param idle after how long without a whole request, or a byte read by the client, it is ended
 * @param drain how long answers may take to be sent when the server stops
 * @param lease how long clients may cache what they are told
 * @param rekey when keys are changed
 */
record SfsConfig(
    Path root,
    Identity identity,
    Clients clients,
    InetAddress bind,
    int port,
    int cores,
    StealPolicy policy,
    int maxClients,
    Duration handshake,
    Duration idle,
    Duration drain,
    Duration lease,
    RekeyRule rekey) {

  SfsConfig {
    if (!Files.isDirectory(root)) {
      throw new IllegalArgumentException(
          "root '" + root + "' " + (Files.exists(root) ? "is not a directory" : "does not exist"));
    }
    check("port", port, 0, 65_535);
    check("cores", cores, 0, 1024);
    check("max-clients", maxClients, 1, 1_000_000);
    check("handshake timeout in ms", handshake.toMillis(), 1, Integer.MAX_VALUE);
    check("idle timeout in ms", idle.toMillis(), 1, Integer.MAX_VALUE);
    check("drain timeout in ms", drain.toMillis(), 0, Integer.MAX_VALUE);
    check("lease in ms", lease.toMillis(), 1, Integer.MAX_VALUE);
  }

  private static void check(String name, long value, long min, long max) {
    if (value < min || value > max) {
      throw new IllegalArgumentException(
          name + " must be " + min + " to " + max + ", but is " + value);
    }
  }

  /** Begins with the defaults: a local server at any free port. */
  static Builder builder(Path root, Identity identity, Clients clients) {
    return new Builder(root, identity, clients);
  }

  /** Collects the values, which the record's components explain; not thread-safe. */
  static final class Builder {
    private final Path root;
    private final Identity identity;
    private final Clients clients;
    private InetAddress bind = InetAddress.getLoopbackAddress();
    private int port;
    private int cores;
    private StealPolicy policy = StealPolicy.ALL;
    private int maxClients = 1000;
    private Duration handshake = Duration.ofSeconds(10);
    private Duration idle = Duration.ofMinutes(2);
    private Duration drain = Duration.ofSeconds(10);
    private Duration lease = Duration.ofMinutes(1);
    private RekeyRule rekey = RekeyRule.DEFAULT;

    private Builder(Path root, Identity identity, Clients clients) {
      this.root = root;
      this.identity = identity;
      this.clients = clients;
    }

    Builder bind(InetAddress value) {
      bind = value;
      return this;
    }

    Builder port(int value) {
      port = value;
      return this;
    }

    Builder cores(int value) {
      cores = value;
      return this;
    }

    Builder policy(StealPolicy value) {
      policy = value;
      return this;
    }

    Builder maxClients(int value) {
      maxClients = value;
      return this;
    }

    Builder handshake(Duration value) {
      handshake = value;
      return this;
    }

    Builder idle(Duration value) {
      idle = value;
      return this;
    }

    Builder drain(Duration value) {
      drain = value;
      return this;
    }

    Builder lease(Duration value) {
      lease = value;
      return this;
    }

    Builder rekey(RekeyRule value) {
      rekey = value;
      return this;
    }

    /**
     * Checks the values.
     *
     * @throws IllegalArgumentException if one is out of range, or the root is no directory
     */
    SfsConfig build() {
      return new SfsConfig(
          root,
          identity,
          clients,
          bind,
          port,
          cores,
          policy,
          maxClients,
          handshake,
          idle,
          drain,
          lease,
          rekey);
    }
  }

  long handshakeNanos() {
    return handshake.toNanos();
  }

  long idleNanos() {
    return idle.toNanos();
  }
}
