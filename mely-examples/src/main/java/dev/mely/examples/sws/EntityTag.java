package dev.mely.examples.sws;

import dev.mely.examples.http.EntityTags;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * Distinguishes the versions of a file (RFC 9110, section 8.8.3). A strong tag differs whenever the
 * content does, so a client may use it to join parts of a file:
 *
 * <ul>
 *   <li>for a small file it is a hash of the content;
 *   <li>for a large one a hash of {@link FileStamp}, whose {@code ctime} cannot be set, once that
 *       is old enough that any further change gets another time.
 * </ul>
 *
 * <p>Until then, and where there is no {@code ctime}, the tag is weak: two versions may share it.
 * The tag of a file that has just changed differs from all its later tags, so a mix-up lasts only
 * until the file has been unchanged for a moment.
 *
 * @param text between quotes
 * @param weak whether two versions may share it
 */
record EntityTag(String text, boolean weak) {
  private static final int BYTES = 16;

  /** The tag of a content. Does not move the buffer's position. */
  static EntityTag ofContent(ByteBuffer content) {
    return new EntityTag(quoted(content), false);
  }

  /**
   * The tag of a file whose content is not read.
   *
   * @param stamp of its path after it was opened; null if not known
   * @param millis the time before it was opened
   */
  static EntityTag ofFile(FileInfo file, @Nullable FileStamp stamp, long millis) {
    String version = file.key() + " " + file.size() + " " + file.modified() + " ";
    boolean settled = false;
    if (stamp == null || !stamp.isOf(file)) {
      version += "unknown";
    } else {
      settled = stamp.isSettledAt(millis);
      version += stamp.changed() + (settled ? " settled" : " new");
    }
    return new EntityTag(quoted(StandardCharsets.UTF_8.encode(version)), !settled);
  }

  /** Hashed, so as not to disclose inode numbers. */
  private static String quoted(ByteBuffer bytes) {
    try {
      MessageDigest hash = MessageDigest.getInstance("SHA-256");
      hash.update(bytes.duplicate());
      return '"' + HexFormat.of().formatHex(hash.digest(), 0, BYTES) + '"';
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("each Java platform has SHA-256", e);
    }
  }

  /** Returns the tag as in a header field. */
  @Override
  public String toString() {
    return weak ? EntityTags.WEAK + text : text;
  }
}
