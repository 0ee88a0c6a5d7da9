package dev.mely.examples.proxy;

import java.io.ByteArrayOutputStream;

/**
 * Collects the content of a response that may be stored, within the memory limit. Belongs to the
 * color of the connection.
 */
final class Collected {
  private final Cache cache;
  private ByteArrayOutputStream content = new ByteArrayOutputStream(0);

  /** Bytes reserved. */
  private long reserved;

  Collected(Cache cache) {
    this.cache = cache;
  }

  /** Adds a piece; returns false if a limit is reached: the cache's, or the one of an object. */
  boolean add(byte[] piece) {
    if (content.size() + piece.length > cache.maxObject() || !cache.reserve(piece.length)) {
      return false;
    }
    reserved += piece.length;
    content.writeBytes(piece);
    return true;
  }

  byte[] bytes() {
    return content.toByteArray();
  }

  /** Releases the reserved memory. */
  void release() {
    cache.release(reserved);
    reserved = 0;
    content = new ByteArrayOutputStream(0);
  }
}
