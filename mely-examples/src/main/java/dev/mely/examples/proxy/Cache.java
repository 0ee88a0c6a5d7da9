package dev.mely.examples.proxy;

import dev.mely.Mely;
import java.util.concurrent.atomic.AtomicLong;

/** The parts of the cache, and what is collected for them. Thread-safe. */
final class Cache {
  private static final int PARTS = 16;

  private final CachePart[] parts = new CachePart[PARTS];
  private final long maxObject;

  /** How much the responses on their way may take beside what is stored. */
  private final long maxCollected;

  private final AtomicLong collected = new AtomicLong();

  /**
   * Begins empty.
   *
   * @param mely gives the colors
   * @param size how many bytes are kept, about
   * @param maxObject how large a body may be to be kept
   */
  Cache(Mely mely, long size, long maxObject) {
    this.maxObject = Math.min(maxObject, size / PARTS);
    maxCollected = size;
    for (int i = 0; i < PARTS; i++) {
      parts[i] = new CachePart(mely.newColor(), size / PARTS);
    }
  }

  /** The part for a key; the hash is what takes time. */
  CachePart part(String key) {
    int hash = key.hashCode();
    return parts[Math.floorMod(hash ^ hash >>> 16, PARTS)];
  }

  /** How large a body may be. */
  long maxObject() {
    return maxObject;
  }

  /** Makes room for a part of a response that is on its way; false: there is none. */
  boolean reserve(int bytes) {
    if (collected.addAndGet(bytes) > maxCollected) {
      collected.addAndGet(-bytes);
      return false;
    }
    return true;
  }

  /** Gives back what was reserved. */
  void release(long bytes) {
    collected.addAndGet(-bytes);
  }

  long collected() {
    return collected.get();
  }
}
