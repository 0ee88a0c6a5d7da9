package dev.mely.examples.proxy;

import dev.mely.Mely;
import java.util.concurrent.atomic.AtomicLong;

/** The parts of the cache, and the memory limit of responses being collected. Thread-safe. */
final class Cache {
  private static final int PARTS = 16;

  private final CachePart[] parts = new CachePart[PARTS];
  private final long maxObject;

  /** How many bytes incomplete responses may take, in addition to stored ones. */
  private final long maxCollected;

  private final AtomicLong collected = new AtomicLong();

  /**
   * Makes an empty cache.
   *
   * @param mely creates the parts' colors
   * @param size how many bytes to keep, approximately
   * @param maxObject the largest body to keep, in bytes
   */
  Cache(Mely mely, long size, long maxObject) {
    this.maxObject = Math.min(maxObject, size / PARTS);
    maxCollected = size;
    for (int i = 0; i < PARTS; i++) {
      parts[i] = new CachePart(mely.newColor(), size / PARTS);
    }
  }

  /** The part for a key; hashing the key takes the time. */
  CachePart part(String key) {
    int hash = key.hashCode();
    return parts[Math.floorMod(hash ^ hash >>> 16, PARTS)];
  }

  /** The largest body to keep, in bytes. */
  long maxObject() {
    return maxObject;
  }

  /** Reserves memory for a piece of a response; returns false if the limit is reached. */
  boolean reserve(int bytes) {
    if (collected.addAndGet(bytes) > maxCollected) {
      collected.addAndGet(-bytes);
      return false;
    }
    return true;
  }

  /** Releases reserved memory. */
  void release(long bytes) {
    collected.addAndGet(-bytes);
  }

  long collected() {
    return collected.get();
  }
}
