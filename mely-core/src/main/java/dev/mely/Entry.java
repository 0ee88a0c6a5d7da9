package dev.mely;

import org.jspecify.annotations.Nullable;

/**
 * An entry of a core-queue in the hands of a thief: a color, and the lane in which it waited, so
 * that it can be put back without losing its urgency. Owned by one thread, used again and again.
 */
final class Entry {
  private @Nullable Color color;
  private int lane;

  void set(Color newColor, int newLane) {
    color = newColor;
    lane = newLane;
  }

  /** Whether it holds nothing. */
  boolean isEmpty() {
    return color == null;
  }

  int lane() {
    return lane;
  }

  /** The color; it is still in there. */
  Color color() {
    Color held = color;
    if (held == null) {
      throw new AssertionError("an empty entry");
    }
    return held;
  }

  /** Takes the color out. */
  Color take() {
    Color taken = color();
    color = null;
    return taken;
  }
}
