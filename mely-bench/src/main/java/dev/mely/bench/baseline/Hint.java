package dev.mely.bench.baseline;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * A number that one core writes under its lock and others read without it, to decide whether to
 * take the lock.
 */
final class Hint extends Padding {
  private static final VarHandle VALUE = Padding.field(MethodHandles.lookup(), "value", long.class);

  @SuppressWarnings(
      "UnusedVariable") // through its VarHandle; a long, as an int would be laid out before the
  // padding
  private long value;

  void set(long now) {
    // Opaque: it must become visible at some time, but orders no other access.
    VALUE.setOpaque(this, now);
  }

  long get() {
    return (long) VALUE.getOpaque(this);
  }
}
