package dev.mely.examples.sfs;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The result of a request, with its number on the wire. */
enum Status {
  OK(0),
  /** The request is malformed. */
  BAD_REQUEST(1),
  NOT_FOUND(2),
  /** Outside of the served folder, not a regular file, read-only, or no permission. */
  DENIED(3),
  /** A directory that is not empty, or a name that exists. */
  EXISTS(4),
  /** A file where a directory is needed, or the reverse. */
  WRONG_TYPE(5),
  /** Too many open files or requests: try again. */
  BUSY(6),
  /** The disk is full or failing. */
  FAILED(7);

  private final int code;

  Status(int code) {
    this.code = code;
  }

  int code() {
    return code;
  }

  /** Returns the status with a number, or null. */
  static @Nullable Status of(int code) {
    return Arrays.stream(values()).filter(status -> status.code == code).findAny().orElse(null);
  }
}
