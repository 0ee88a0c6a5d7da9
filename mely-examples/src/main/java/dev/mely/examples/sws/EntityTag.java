package dev.mely.examples.sws;

import dev.mely.examples.http.EntityTags;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * Tells the versions of a file apart (RFC 9110, section 8.8.3). A strong tag differs whenever the
 * content does, and so may be used to join parts of a file:
 *
 * <ul>
 *   <li>of a small file it is a hash of the content;
 *   <li>of a large one a hash of {@link FileStamp}, whose time of change nobody can set, once that
 *       is old enough for any further change to get another time.
 * </ul>
 *
 * <p>Until then, and where there is no such time, the tag is weak: it may be the same for two
 * versions. One of a file that has just changed is never the same as that file's later tags, so
 * that a mistake ends when the file has been left alone for a moment.
 *
 * @param text between quotes
 * @param weak whether two versions may have it
 */
record EntityTag(String text, boolean weak) {
  private static final int BYTES = 16;

  /** The tag of a content, which is left as it is. */
  static EntityTag ofContent(ByteBuffer content) {
    return new EntityTag(quoted(content), false);
  }

  /**
   * The tag of a file whose content is not looked at.
   *
   * @param stamp of its path after it was opened; null: not known
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

  /** Hashed, since the number of an inode is nobody's business. */
  private static String quoted(ByteBuffer bytes) {
    try {
      MessageDigest hash = MessageDigest.getInstance("SHA-256");
      hash.update(bytes.duplicate());
      return '"' + HexFormat.of().formatHex(hash.digest(), 0, BYTES) + '"';
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("each Java platform has SHA-256", e);
    }
  }

  /** As a header field has it. */
  @Override
  public String toString() {
    return weak ? EntityTags.WEAK + text : text;
  }
}
