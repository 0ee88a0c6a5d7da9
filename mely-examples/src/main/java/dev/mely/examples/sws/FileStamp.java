package dev.mely.examples.sws;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What the file system says of a path, with the one time that nobody can set: {@code ctime}, which
 * moves whenever content, name, mode or the other times change.
 *
 * <p>Java gives it for a path only, not relative to an open directory. So it counts for an open
 * file only if the path led to that very file, see {@link #isOf}; nothing is opened here.
 *
 * @param regular whether it is a regular file
 * @param size in bytes
 * @param modified what may have been set
 * @param key what tells it from another file
 * @param changed the time that nobody sets
 */
record FileStamp(boolean regular, long size, FileTime modified, Object key, FileTime changed) {
  /** Longer than a tick of any kernel, for the clock of files moves by ticks. */
  private static final long TICK_MILLIS = 50;

  /** Where times are whole seconds, or even ones. */
  private static final long COARSE_MILLIS = 2_000;

  /**
   * Looks at a path.
   *
   * @return null if this file system has no such times
   */
  static @Nullable FileStamp of(Path path, LinkOption... links) throws IOException {
    try {
      Map<String, Object> all =
          Files.readAttributes(
              path, "unix:isRegularFile,size,lastModifiedTime,fileKey,ctime", links);
      return new FileStamp(
          (Boolean) value(all, "isRegularFile"),
          (Long) value(all, "size"),
          (FileTime) value(all, "lastModifiedTime"),
          value(all, "fileKey"),
          (FileTime) value(all, "ctime"));
    } catch (UnsupportedOperationException | IllegalArgumentException notUnix) {
      return null;
    }
  }

  private static Object value(Map<String, Object> all, String name) {
    return Objects.requireNonNull(all.get(name), name);
  }

  /** Whether the path led to this open file, which has not changed since it was opened. */
  boolean isOf(FileInfo file) {
    return regular
        && size == file.size()
        && modified.equals(file.modified())
        && key.equals(file.key());
  }

  /**
   * Whether a change after that moment would have another stamp: this one is older than two changes
   * can be that the file system gives the same time.
   *
   * @param millis the time before the file was opened
   */
  boolean isSettledAt(long millis) {
    boolean coarse = changed.to(TimeUnit.NANOSECONDS) % TimeUnit.SECONDS.toNanos(1) == 0;
    return millis - changed.toMillis() > (coarse ? COARSE_MILLIS : TICK_MILLIS);
  }
}
