package dev.mely.examples.sws;

import dev.mely.examples.http.EntityTags;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
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
  private static final int PIECE = 64 * 1024;

  /** The tag of a content, which is left as it is. */
  static EntityTag ofContent(ByteBuffer content) {
    MessageDigest hash = sha256();
    hash.update(content.duplicate());
    return new EntityTag(quoted(hash), false);
  }

  /**
   * The tag of the first bytes of a file.
   *
   * @throws Refusal if there are fewer by now
   */
  static EntityTag ofContent(FileChannel file, long size) throws IOException, Refusal {
    MessageDigest hash = sha256();
    ByteBuffer piece = ByteBuffer.allocate((int) Math.min(size, PIECE));
    for (long at = 0; at < size; ) {
      piece.clear().limit((int) Math.min(size - at, PIECE));
      int read = file.read(piece, at);
      if (read < 0) {
        throw Refusal.replaced();
      }
      hash.update(piece.flip());
      at += read;
    }
    return new EntityTag(quoted(hash), false);
  }

  /**
   * The tag of a file whose content is not looked at.
   *
   * @param stamp of its path after it was opened; null: not known
   * @param millis the time before it was opened
   */
  static EntityTag ofFile(FileInfo file, @Nullable FileStamp stamp, long millis) {
    if (stamp == null || !stamp.isOf(file)) {
      return new EntityTag(quoted(file.key(), file.size(), file.modified(), "unknown"), true);
    }
    boolean settled = stamp.isSettledAt(millis);
    Object state = settled ? "settled" : "new";
    return new EntityTag(
        quoted(file.key(), file.size(), file.modified(), stamp.changed(), state), !settled);
  }

  /** Hashed, since the number of an inode is nobody's business. */
  private static String quoted(@Nullable Object... parts) {
    StringBuilder text = new StringBuilder();
    for (Object part : parts) {
      text.append(part).append(' ');
    }
    MessageDigest hash = sha256();
    hash.update(text.toString().getBytes(StandardCharsets.UTF_8));
    return quoted(hash);
  }

  private static String quoted(MessageDigest hash) {
    return '"' + HexFormat.of().formatHex(hash.digest(), 0, BYTES) + '"';
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
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
