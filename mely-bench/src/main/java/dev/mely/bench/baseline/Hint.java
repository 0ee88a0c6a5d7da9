package dev.mely.bench.baseline;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * A number that one core writes under its lock and others read without it, to see whether the lock
 * is worth taking.
 */
final class Hint extends Padding {
  private static final VarHandle VALUE = Padding.field(MethodHandles.lookup(), "value", long.class);

  @SuppressWarnings("UnusedVariable") // through its VarHandle; a long, or it would slip in front
  private long value;

  void set(long now) {
    // Opaque: nothing is concluded from it, it only must arrive.
    VALUE.setOpaque(this, now);
  }

  long get() {
    return (long) VALUE.getOpaque(this);
  }
}
