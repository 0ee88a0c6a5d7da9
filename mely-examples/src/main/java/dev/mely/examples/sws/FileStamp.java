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
 * Metadata of a path, with the one time that programs cannot set: {@code ctime}, which moves
 * whenever content, name, mode or the other times change.
 *
 * <p>Java provides it for a path only, not for an open file. So it is valid for an open file only
 * if the path leads to that file, see {@link #isOf}. Opens nothing.
 *
 * @param regular whether it is a regular file
 * @param size in bytes
 * @param modified {@code mtime}, which programs can set
 * @param key identifies the file
 * @param changed {@code ctime}
 */
record FileStamp(boolean regular, long size, FileTime modified, Object key, FileTime changed) {
  /** Longer than any kernel's tick, by which file times advance. */
  private static final long TICK_MILLIS = 50;

  /** For file systems whose times have a resolution of one or two seconds. */
  private static final long COARSE_MILLIS = 2_000;

  /**
   * Looks at a path.
   *
   * @return null if this file system has no {@code ctime}
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

  /** Whether the path led to this open file, and the file is unchanged since it was opened. */
  boolean isOf(FileInfo file) {
    return regular
        && size == file.size()
        && modified.equals(file.modified())
        && key.equals(file.key());
  }

  /**
   * Whether a change after that moment would have another stamp: this one is older than the
   * resolution of the file system's times.
   *
   * @param millis the time before the file was opened
   */
  boolean isSettledAt(long millis) {
    boolean coarse = changed.to(TimeUnit.NANOSECONDS) % TimeUnit.SECONDS.toNanos(1) == 0;
    return millis - changed.toMillis() > (coarse ? COARSE_MILLIS : TICK_MILLIS);
  }
}
