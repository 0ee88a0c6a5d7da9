package dev.mely.bench.server;

import dev.mely.bench.sim.SetCache;
import java.util.List;

/** What a server's buffers touch, in the order in which it does, and what caches make of it. */
final class Trace {
  private final List<SetCache> caches;

  // Guarded by this.
  private long bytes;

  /**
   * @param caches all see everything
   */
  Trace(List<SetCache> caches) {
    this.caches = List.copyOf(caches);
  }

  /** Some bytes are read or written. Any thread. */
  synchronized void touch(long address, long length) {
    if (length > 0) {
      bytes += length;
      for (SetCache cache : caches) {
        cache.touch(address, length);
      }
    }
  }

  /** Bytes touched so far, and behind them the misses of each cache. */
  synchronized long[] counts() {
    long[] counts = new long[1 + caches.size()];
    counts[0] = bytes;
    for (int i = 0; i < caches.size(); i++) {
      counts[1 + i] = caches.get(i).misses();
    }
    return counts;
  }
}
