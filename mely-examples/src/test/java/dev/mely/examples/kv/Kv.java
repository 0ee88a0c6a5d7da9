package dev.mely.examples.kv;

import dev.mely.Mely;
import dev.mely.StealPolicy;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** What tests run: any port, small bounds, and colors that move at random. */
final class Kv {
  static final int MAX_BULK = 1 << 20;
  static final int MAX_REPLY = 4 << 20;
  static final long MAX_BEHIND = 256 << 10;

  private Kv() {}

  static KvConfig config(@Nullable Path folder, Fsync fsync) {
    return config(folder, fsync, 1L << 40, Duration.ofSeconds(60));
  }

  static KvConfig config(
      @Nullable Path folder, Fsync fsync, long rewriteMin, Duration stallTimeout) {
    return new KvConfig(
        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
        2,
        StealPolicy.ALL,
        1000,
        Duration.ofSeconds(10),
        folder,
        fsync,
        rewriteMin,
        Store.PARTITIONS,
        MAX_BULK,
        MAX_REPLY,
        MAX_BEHIND,
        stallTimeout);
  }

  /** In memory. */
  static KvServer start() throws IOException {
    return start(config(null, Fsync.NO), 1);
  }

  /** With colors that go to a core drawn at random whenever they wake up. */
  static KvServer start(KvConfig config, long seed) throws IOException {
    return KvServer.start(config, Mely.builder().randomMigration(seed), System::currentTimeMillis);
  }

  /** By a clock that stands still. */
  static KvServer start(KvConfig config, AtomicLong clock) throws IOException {
    return KvServer.start(config, Mely.builder().randomMigration(1), clock::get);
  }
}
