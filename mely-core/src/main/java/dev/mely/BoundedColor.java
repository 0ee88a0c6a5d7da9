package dev.mely;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/** A color that counts its pending events exactly; used where {@link Overload} bounds them. */
final class BoundedColor extends Color {
  private static final VarHandle LOAD;

  static {
    try {
      LOAD = MethodHandles.lookup().findVarHandle(BoundedColor.class, "load", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /** Events that have taken room and not been taken out. */
  @SuppressWarnings("UnusedVariable") // through its VarHandle
  private int load;

  BoundedColor(Host host, int core, boolean pinned) {
    super(host, core, pinned);
  }

  /** Takes room for one event, if fewer than so many have some. Any thread. */
  boolean tryAdd(long limit) {
    while (true) {
      int now = load();
      if (now >= limit) {
        return false;
      }
      if (LOAD.compareAndSet(this, now, now + 1)) {
        return true;
      }
    }
  }

  void remove() {
    LOAD.getAndAdd(this, -1);
  }

  int load() {
    return (int) LOAD.getVolatile(this);
  }
}
