package dev.mely.examples.sfs;

import java.nio.file.attribute.BasicFileAttributes;
import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Attributes of a file or a directory.
 *
 * @param type what it is
 * @param size in bytes
 * @param modified nanoseconds since 1970
 * @param version changes when the file is replaced, or its size or time changes; opaque
 */
record Attributes(Type type, long size, long modified, long version) {
  /** The type of a directory entry, with its number on the wire. */
  enum Type {
    FILE(1),
    DIRECTORY(2),
    LINK(3),
    OTHER(4);

    private final int code;

    Type(int code) {
      this.code = code;
    }

    int code() {
      return code;
    }

    /** Returns the type with a number, or null. */
    static @Nullable Type of(int code) {
      return Arrays.stream(values()).filter(type -> type.code == code).findAny().orElse(null);
    }
  }

  static Attributes of(BasicFileAttributes attributes) {
    Type type =
        attributes.isRegularFile()
            ? Type.FILE
            : attributes.isDirectory()
                ? Type.DIRECTORY
                : attributes.isSymbolicLink() ? Type.LINK : Type.OTHER;
    return of(
        type,
        attributes.size(),
        attributes.lastModifiedTime().to(TimeUnit.NANOSECONDS),
        attributes.fileKey());
  }

  static Attributes of(Type type, long size, long modified, @Nullable Object key) {
    long version = mix(mix(mix(Objects.hashCode(key)) ^ size) ^ modified);
    return new Attributes(type, size, modified, version);
  }

  /** Mixes the bits (D. Stafford's variant 13 of MurmurHash3's finalizer). */
  private static long mix(long bits) {
    long z = bits + 0x9e3779b97f4a7c15L;
    z = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
    z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
    return z ^ (z >>> 31);
  }
}
