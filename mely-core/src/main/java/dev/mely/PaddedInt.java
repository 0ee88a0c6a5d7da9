package dev.mely;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * An {@code int} that several cores touch, alone on its cache lines. Everything that a thief or a
 * producer reads of another core sits in one of these (or in a JCTools queue, padded too): a flag
 * beside the victim's hot fields makes it two to three times slower (false sharing).
 *
 * <p>The method names say the memory order.
 */
final class PaddedInt extends PaddedValue {
  private static final VarHandle VALUE;

  static {
    try {
      VALUE = MethodHandles.lookup().findVarHandle(PaddedValue.class, "value", long.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  long a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15;

  int getPlain() {
    return (int) value;
  }

  int getOpaque() {
    return (int) (long) VALUE.getOpaque(this);
  }

  int getVolatile() {
    return (int) (long) VALUE.getVolatile(this);
  }

  void setOpaque(int newValue) {
    VALUE.setOpaque(this, (long) newValue);
  }

  void setRelease(int newValue) {
    VALUE.setRelease(this, (long) newValue);
  }

  void setVolatile(int newValue) {
    VALUE.setVolatile(this, (long) newValue);
  }

  boolean compareAndSet(int expected, int newValue) {
    return VALUE.compareAndSet(this, (long) expected, (long) newValue);
  }

  int getAndAdd(int delta) {
    return (int) (long) VALUE.getAndAdd(this, (long) delta);
  }
}
