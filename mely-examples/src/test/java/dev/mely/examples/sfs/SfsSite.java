package dev.mely.examples.sfs;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.mely.Mely;
import dev.mely.MelyBuilder;
import dev.mely.examples.Descriptors;
import dev.mely.examples.sws.ServedFolder;
import dev.mely.nio.Nio;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.UnaryOperator;

/**
 * A server with a folder, two clients' keys, one of which may write, and a runtime for clients. No
 * event may have failed when it is closed.
 */
final class SfsSite implements AutoCloseable {
  static final Duration PATIENCE = Duration.ofSeconds(120);

  final Identity identity = Identity.generate();
  final Identity writer = Identity.generate();
  final Identity reader = Identity.generate();
  final Path root;
  final SfsServer server;
  final Nio nio;

  SfsSite(Path root) throws IOException {
    this(root, config -> config);
  }

  SfsSite(Path root, UnaryOperator<SfsConfig> changes) throws IOException {
    this(root, changes, Mely.builder());
  }

  SfsSite(Path root, UnaryOperator<SfsConfig> changes, MelyBuilder runtime) throws IOException {
    this(root, changes, runtime, ServedFolder.open(root));
  }

  /** Serves a folder of which the test is told each step. */
  static SfsSite watched(Path root, UnaryOperator<SfsConfig> changes, WatchedFolder.Watch watch)
      throws IOException {
    return new SfsSite(root, changes, Mely.builder(), WatchedFolder.open(root, watch));
  }

  static SfsSite watched(Path root, WatchedFolder.Watch watch) throws IOException {
    return watched(root, config -> config, watch);
  }

  private SfsSite(
      Path root, UnaryOperator<SfsConfig> changes, MelyBuilder runtime, ServedFolder folder)
      throws IOException {
    this.root = root;
    KnownClients known = new KnownClients(Map.of(writer.id(), true, reader.id(), false));
    SfsConfig config = changes.apply(new SfsConfig(root, identity, known));
    config.cores(2);
    server = SfsServer.start(config, runtime, folder);
    nio = Nio.start(Mely.builder().cores(1).pinned(false));
  }

  SfsClient connect() throws IOException {
    return connect(writer);
  }

  SfsClient connect(Identity self) throws IOException {
    return connect(self, server.address().getPort(), RekeyRule.DEFAULT);
  }

  /** Connects through another port, with a man in the middle. */
  SfsClient connect(Identity self, int port, RekeyRule rule) throws IOException {
    RemotePath path = new RemotePath(identity.id(), "127.0.0.1", port, "");
    return SfsClient.connect(nio, path, self, rule, PATIENCE);
  }

  RawPeer raw() throws IOException {
    return new RawPeer(server.address().getPort());
  }

  /** A client whose handshake is done, and which sends what the test wants. */
  RawPeer raw(Identity self) throws IOException {
    RawPeer peer = raw();
    peer.handshake(self, identity.id());
    return peer;
  }

  /** How many descriptors of this process lead into the folder, the folder itself included. */
  long descriptors() throws IOException {
    Path real = root.toRealPath();
    return Descriptors.open().stream().filter(open -> open.startsWith(real)).count();
  }

  static byte[] bytes(int length, long seed) {
    byte[] bytes = new byte[length];
    new SplittableRandom(seed).nextBytes(bytes);
    return bytes;
  }

  byte[] write(String name, int length) throws IOException {
    byte[] bytes = bytes(length, name.hashCode());
    Files.write(root.resolve(name), bytes);
    return bytes;
  }

  @Override
  public void close() {
    nio.close();
    server.close();
    assertEquals(0, server.statistics().total().errors(), "events that have failed");
  }
}
