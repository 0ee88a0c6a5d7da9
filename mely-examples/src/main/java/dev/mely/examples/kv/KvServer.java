package dev.mely.examples.kv;

import dev.mely.Color;
import dev.mely.Handler;
import dev.mely.Mely;
import dev.mely.MelyBuilder;
import dev.mely.Statistics;
import dev.mely.examples.service.Clients;
import dev.mely.examples.service.CoreListener;
import dev.mely.examples.service.CoreServer;
import dev.mely.nio.Nio;
import dev.mely.stage.StageGraph;
import dev.mely.topology.Pinning;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A key-value server that speaks the Redis protocol, on {@code dev.mely.nio}. Thread-safe. */
final class KvServer implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(KvServer.class);
  private static final Duration SWEEP = Duration.ofMillis(100);
  private static final Duration LOOK = Duration.ofSeconds(1);

  private final Store store;
  private final CoreServer server;
  private final @Nullable FileChannel lock;
  private volatile boolean failed;

  /** Guarded by this. */
  private boolean closed;

  private KvServer(KvConfig config, Nio nio, Folder at, LongSupplier clock, CommandTable table)
      throws IOException {
    this.lock = at.lock();
    LogFile file = at.file();
    Mely mely = nio.mely();
    SipHash hash = file == null ? random() : file.hash();
    int partitions = file == null ? config.partitions() : file.partitions;
    store = new Store(mely, partitions, hash, clock, config.maxBulk());
    if (file != null) {
      long began = System.nanoTime();
      long count = new LogReader(file, store, table).read();
      long millis = (System.nanoTime() - began) / 1_000_000;
      LOG.info("{}: {} entries read in {} ms", file.path(), count, millis);
      store.log(
          new AppendLog(nio, store, file, config.fsync(), config.rewriteMin(), this::logFailed));
    }
    Expiry expiry = new Expiry(mely, store);
    KvProtocol protocol = new KvProtocol(mely, store, table, config);
    Color ticking = mely.newColor();
    mely.scheduleWithFixedDelay(
        ticking, Handler.named("Expire", Expiry::round), expiry, SWEEP, SWEEP);
    mely.scheduleWithFixedDelay(
        ticking, Handler.named("Look", KvProtocol::look), protocol, LOOK, LOOK);
    server = CoreServer.start(config.service(protocol), nio);
  }

  /** The file of a folder, and what keeps others from it; nothing, if there is no folder. */
  private record Folder(@Nullable LogFile file, @Nullable FileChannel lock) {
    void close() throws IOException {
      if (file != null) {
        file.close();
      }
      if (lock != null) {
        lock.close();
      }
    }
  }

  /**
   * Starts a server.
   *
   * @throws IOException if the port is taken, or the file cannot be used; the message says which
   */
  static KvServer start(KvConfig config) throws IOException {
    return start(config, Mely.builder(), System::currentTimeMillis);
  }

  /**
   * The same with a builder of one's own, and by another clock, which says the milliseconds since
   * the epoch.
   */
  static KvServer start(KvConfig config, MelyBuilder builder, LongSupplier clock)
      throws IOException {
    Folder at = open(config);
    Nio nio = null;
    boolean started = false;
    try {
      nio =
          Nio.start(
              builder
                  .cores(config.cores())
                  .policy(config.policy())
                  .errorHandler(CoreListener::failed));
      KvServer server = new KvServer(config, nio, at, clock, new CommandTable());
      started = true;
      return server;
    } finally {
      if (!started) {
        if (nio != null) {
          nio.shutdown(Duration.ZERO);
        }
        at.close();
      }
    }
  }

  private static Folder open(KvConfig config) throws IOException {
    Path folder = config.folder();
    if (folder == null) {
      return new Folder(null, null);
    }
    if (!Files.isDirectory(folder)) {
      throw new IOException("there is no folder " + folder);
    }
    FileChannel lock =
        FileChannel.open(
            folder.resolve("lock.kv"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    boolean opened = false;
    try {
      FileLock mine;
      try {
        mine = lock.tryLock();
      } catch (OverlappingFileLockException e) {
        mine = null; // by this process
      }
      if (mine == null) {
        throw new IOException("another server uses the folder " + folder);
      }
      Folder used = new Folder(LogFile.open(folder, config.partitions()), lock);
      opened = true;
      return used;
    } finally {
      if (!opened) {
        lock.close();
      }
    }
  }

  private static SipHash random() {
    SecureRandom random = new SecureRandom();
    return new SipHash(random.nextLong(), random.nextLong());
  }

  /** Nothing can be kept any more: who goes on would be told lies. */
  private void logFailed() {
    failed = true;
    new Thread(() -> Pinning.unpinned(this::close), "kv-failed").start();
  }

  // ---- For whoever has started it

  InetSocketAddress address() {
    return server.address();
  }

  Clients clients() {
    return server.clients();
  }

  Statistics statistics() {
    return server.statistics();
  }

  StageGraph stages() {
    return server.stages();
  }

  Store store() {
    return store;
  }

  /** Whether it has ended, or ends, because its file could not be written. */
  boolean hasFailed() {
    return failed;
  }

  void awaitClose() throws InterruptedException {
    server.awaitClose();
  }

  Duration longestClose() {
    return server.longestClose();
  }

  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    closed = true;
    try {
      server.close();
    } finally {
      try {
        AppendLog log = store.log();
        if (log != null) {
          log.close();
        }
      } finally {
        unlock();
      }
    }
  }

  private void unlock() {
    try {
      if (lock != null) {
        lock.close();
      }
    } catch (IOException e) {
      LOG.debug("the lock was not closed well", e);
    }
  }
}
