package dev.mely;

/**
 * What the event that runs on a thread holds beside the color that its core runs. A leaf, so that
 * {@link Color} may ask.
 */
final class Holding {
  private static final Object[] NOTHING = {};
  private static final ThreadLocal<Object[]> HELD = ThreadLocal.withInitial(() -> NOTHING);

  /** Stands before the colors that are only read. */
  static final Object READ = new Object();

  private Holding() {}

  /** An event begins that holds these colors. On one thread they come one after the other. */
  static void begin(Object[] colors) {
    if (colors.length > 0) {
      HELD.set(colors);
    }
  }

  /** It is over. */
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
