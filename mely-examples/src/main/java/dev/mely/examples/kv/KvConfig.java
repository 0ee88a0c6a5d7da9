package dev.mely.examples.kv;

import dev.mely.StealPolicy;
import dev.mely.examples.service.ServiceConfig;
import dev.mely.topology.AllowedCpus;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What a server is started with.
 *
 * @param address where to listen; port 0: any free one
 * @param cores how many, 1 or more
 * @param policy which heuristics idle cores steal by
 * @param maxClients how many connections there may be at a time; others are closed at once
 * @param drainTimeout how long connections may take to end when the server stops
 * @param folder of the append-only file; null: nothing is kept
 * @param fsync when the file is synced
 * @param rewriteMin from which size on the file is rewritten when it has doubled, in bytes
 * @param partitions how many parts, and colors, the keys have: a power of two, 2 to 64; a file that
 *     is there has its own number
 * @param maxBulk how many bytes a string may have
 * @param maxReply how many bytes of answers may wait for a client; one that asks for more in one
 *     step is dropped
 * @param maxBehind how many bytes of messages may wait for a subscriber; one that lets more wait is
 *     dropped
 * @param stallTimeout after which time a client is dropped that takes nothing of what waits for it
 */
record KvConfig(
    InetSocketAddress address,
    int cores,
    StealPolicy policy,
    int maxClients,
    Duration drainTimeout,
    @Nullable Path folder,
    Fsync fsync,
    long rewriteMin,
    int partitions,
    int maxBulk,
    int maxReply,
    long maxBehind,
    Duration stallTimeout) {
  static final int USUAL_PORT = 6379;

  KvConfig {
    check("max-bulk", maxBulk, 1024, 512 << 20);
    check("max-reply", maxReply, maxBulk + 1024L, Integer.MAX_VALUE - 16);
    check("rewrite-min", rewriteMin, 1, Long.MAX_VALUE);
  }

  private static void check(String name, long value, long min, long max) {
    if (value < min || value > max) {
      throw new IllegalArgumentException(
          name + " must be " + min + " to " + max + ", but is " + value);
    }
  }

  /** What most want. */
  static KvConfig usual() {
    return new KvConfig(
        new InetSocketAddress(InetAddress.getLoopbackAddress(), USUAL_PORT),
        AllowedCpus.system().recommendedWorkers(),
        StealPolicy.ALL,
        10_000,
        Duration.ofSeconds(10),
        null,
        Fsync.EVERYSEC,
        64 << 20,
        Store.PARTITIONS,
        64 << 20,
        256 << 20,
        8 << 20,
        Duration.ofSeconds(60));
  }

  /** How many bytes all words of a command may have together. */
  long maxCommand() {
    return 2L * maxBulk;
  }

  /** The part that all servers have. */
  ServiceConfig service(KvProtocol protocol) {
    return new ServiceConfig(
        "kv",
        shared -> protocol,
        address,
        cores,
        policy,
        maxClients,
        Duration.ZERO,
        drainTimeout,
        0);
  }
}
