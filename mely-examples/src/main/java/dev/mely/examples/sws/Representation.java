package dev.mely.examples.sws;

import dev.mely.examples.http.HttpClock;
import java.util.concurrent.TimeUnit;

/**
 * A file as HTTP sees it (RFC 9110, sections 3.2 and 8).
 *
 * @param size in bytes
 * @param type content type
 * @param tag of its version
 * @param modified {@code mtime} of the file, in seconds since the epoch
 */
record Representation(long size, String type, EntityTag tag, long modified) {
  static Representation of(FileInfo file, EntityTag tag) {
    long second = Math.max(0, file.modified().to(TimeUnit.SECONDS));
    return new Representation(file.size(), file.contentType(), tag, second);
  }

  /** When it last changed; at most the current time (RFC 9110, section 8.8.2.1). */
  long lastModified(HttpClock now) {
    return Math.min(modified, now.second());
  }
}
