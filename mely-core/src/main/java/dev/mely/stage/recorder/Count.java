package dev.mely.stage.recorder;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * A number that one thread at a time counts, and any thread reads, a little late: without a fence,
 * and never torn.
 */
final class Count {
  private static final VarHandle VALUE;

  static {
    try {
      VALUE = MethodHandles.lookup().findVarHandle(Count.class, "value", long.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private long value;

  long get() {
    return (long) VALUE.getOpaque(this);
  }

  /** The counting thread alone. */
  void add(long more) {
    VALUE.setOpaque(this, value + more);
  }

  /** The counting thread alone. */
  void set(long now) {
    VALUE.setOpaque(this, now);
  }

  /** The counting thread alone. */
  void raiseTo(long atLeast) {
    if (atLeast > value) {
      VALUE.setOpaque(this, atLeast);
    }
  }
}
