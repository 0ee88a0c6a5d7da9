package dev.mely.examples.sws;

import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A regular file as it was when last looked at.
 *
 * @param size in bytes
 * @param modified when its content last changed; its owner may set any time
 * @param key distinguishes it from another file of that name; null if the file system has none
 * @param contentType by its name
 */
public record FileInfo(long size, FileTime modified, @Nullable Object key, String contentType) {

  static FileInfo of(String name, BasicFileAttributes attributes) {
    return new FileInfo(
        attributes.size(),
        attributes.lastModifiedTime(),
        attributes.fileKey(),
        ContentTypes.of(name));
  }

  /** Whether these attributes, just read, are those of the same, unchanged file. */
  boolean isStill(BasicFileAttributes attributes) {
    return attributes.isRegularFile()
        && attributes.size() == size
        && attributes.lastModifiedTime().equals(modified)
        && Objects.equals(attributes.fileKey(), key);
  }
}
