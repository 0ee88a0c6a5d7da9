package dev.mely.examples.proxy;

import java.io.ByteArrayOutputStream;

/**
 * What has come of the content of a response that may be stored, as long as there is room for it.
 * Belongs to the color of the connection.
 */
final class Collected {
  private final Cache cache;
  private ByteArrayOutputStream content = new ByteArrayOutputStream(0);

  /** The room that it has been given. */
  private long reserved;

  Collected(Cache cache) {
    this.cache = cache;
  }

  /** Adds a piece; false: there is no room, or it would become too large. */
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

  /** Gives back the room. */
  void release() {
    cache.release(reserved);
    reserved = 0;
    content = new ByteArrayOutputStream(0);
  }
}
