package dev.mely.examples.sfs;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The operations, with their numbers on the wire. */
enum Op {
  PING(1),
  LIST(2),
  STAT(3),
  OPEN(4),
  READ(5),
  WRITE(6),
  CLOSE(7),
  RENAME(8),
  REMOVE(9),
  MORE(10);

  private final int code;

  Op(int code) {
    this.code = code;
  }

  int code() {
    return code;
  }

  /** Returns the operation with a number, or null. */
  static @Nullable Op of(int code) {
    return Arrays.stream(values()).filter(op -> op.code == code).findAny().orElse(null);
  }
}
