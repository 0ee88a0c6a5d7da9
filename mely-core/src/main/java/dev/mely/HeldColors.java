package dev.mely;

/**
 * The colors that the event on the calling thread holds beside the one that its core runs. Depends
 * on no other class, so that {@link Color} may ask it.
 */
final class HeldColors {
  private static final Object[] NOTHING = {};
  private static final ThreadLocal<Object[]> HELD = ThreadLocal.withInitial(() -> NOTHING);

  /** In the array of colors, stands before those that are only read. */
  static final Object READ = new Object();

  private HeldColors() {}

  /** An event that holds these colors begins on the calling thread, where none is running. */
  static void begin(Object[] colors) {
    if (colors.length > 0) {
      HELD.set(colors);
    }
  }

  /** That event is over. */
  static void end(Object[] colors) {
    if (colors.length > 0) {
      HELD.set(NOTHING);
    }
  }

  /** Whether the event that runs on this thread holds a color, and does not only read it. */
  static boolean writes(Object color) {
    for (Object held : HELD.get()) {
      if (held == color) {
        return true;
      }
      if (held == READ) {
        return false;
      }
    }
    return false;
  }

  /** Whether the event that runs on this thread holds a color. */
  static boolean includes(Object color) {
    for (Object held : HELD.get()) {
      if (held == color) {
        return true;
      }
    }
    return false;
  }
}
