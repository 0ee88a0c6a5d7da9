package dev.mely;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The lane of a core-queue that the core's own worker fills and empties: a ring in plain memory,
 * without an atomic step or a fence. Most colors are woken up by a handler of the core that will
 * run them.
 *
 * <p>Other threads only read it. An entry is a hint (see {@link Color}), so a thief claims the
 * color by its state, and leaves the entry to the worker, which finds it stale. That is how colors
 * get away from a core that is stuck. What a thief reads may be out of date: an entry that is too
 * old, or none where there is one.
 *
 * <p>The worker parks only when it has found the lane empty, and no other thread fills it: no
 * protocol with producers is needed.
 *
 * <pre>
 *            head - 1     head                tail
 *     ... |  running  |  oldest  |  ...  |  (next)  | ...
 * </pre>
 *
 * <p>The place before the oldest entry is that of the color that the worker runs. An entry that is
 * taken is there without being moved: under G1 a store of a reference costs a fence, as much as an
 * atomic step.
 */
@SuppressWarnings("UnusedVariable") // padding, and fields that others read through VarHandles
final class OwnLane extends PadBefore {
  private static final VarHandle HEAD;
  private static final VarHandle TAIL;
  private static final VarHandle ENTRY = MethodHandles.arrayElementVarHandle(Color[].class);

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      HEAD = lookup.findVarHandle(OwnLane.class, "head", int.class);
      TAIL = lookup.findVarHandle(OwnLane.class, "tail", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final @Nullable Color[] ring;

  /** Numbers of the oldest entry and of the next one; they wrap. */
  private int head;

  private int tail;

  long a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15;

  /**
   * @param places how many: one more than entries; a power of two
   */
  OwnLane(int places) {
    this.ring = new Color[places];
  }

  // ---- The worker

  /** How many more entries there is room for. */
  int room() {
    return ring.length - 1 - (tail - head); // one place is that of the running color
  }

  /** Appends a QUEUED color, for which there is room. */
  void add(Color color) {
    int at = tail;
    ENTRY.setRelease(ring, at & (ring.length - 1), color); // release: publishes the color's fields
    TAIL.setRelease(this, at + 1);
  }

  /**
   * Takes the oldest entry, or null. Its color counts as running, until the worker lets go of it.
   */
  @Nullable Color poll() {
    int at = head;
    if (at == tail) {
      return null;
    }
    HEAD.setOpaque(this, at + 1);
    return ring[at & (ring.length - 1)];
  }

  /** The worker has claimed this color, taken from here or not. */
  void hold(Color color) {
    int i = (head - 1) & (ring.length - 1);
    if (ring[i] != color) {
      ENTRY.setRelease(ring, i, color);
    }
  }

  /** The worker has no color any more. */
  void letGo() {
    ring[(head - 1) & (ring.length - 1)] = null;
  }

  // ---- Any thread

  /** The color that the worker has; null: none. Exact for the worker, a snapshot for others. */
  @Nullable Color running() {
    return (Color) ENTRY.getAcquire(ring, ((int) HEAD.getOpaque(this) - 1) & (ring.length - 1));
  }

  /** Number of entries, stale ones included. Exact for the worker, a snapshot for others. */
  int size() {
    int first = (int) HEAD.getOpaque(this);
    return Math.max(0, (int) TAIL.getAcquire(this) - first);
  }

  /** Whether there is no entry. Exact for the worker, a snapshot for others. */
  boolean isEmpty() {
    return (int) HEAD.getOpaque(this) == (int) TAIL.getAcquire(this);
  }

  /**
   * Looks for a color that waits at the core.
   *
   * @param core number of the core
   * @param lookedAt by number of a core: the entry to begin with; afterwards, where to go on, which
   *     is the oldest entry if nothing was found
   */
  @Nullable Color find(int core, int[] lookedAt) {
    int first = (int) HEAD.getOpaque(this);
    int end = (int) TAIL.getAcquire(this);
    int from = lookedAt[core];
    int at = from - first >= 0 && end - from > 0 ? from : first;
    // The worker may have moved on since: then the numbers mean nothing.
    for (int n = Math.min(end - at, ring.length); n > 0; n--, at++) {
      Color color = (Color) ENTRY.getAcquire(ring, at & (ring.length - 1));
      if (color != null && color.isQueuedAt(core)) {
        lookedAt[core] = at + 1;
        return color;
      }
    }
    lookedAt[core] = first;
    return null;
  }

  /** Shows entries, stale ones too, the oldest first; may miss some while the worker is at work. */
  void peek(int max, Consumer<Color> viewer) {
    int at = (int) HEAD.getOpaque(this);
    for (int n = Math.min(Math.min(size(), ring.length), max); n > 0; n--, at++) {
      Color color = (Color) ENTRY.getAcquire(ring, at & (ring.length - 1));
      if (color != null) {
        viewer.accept(color);
      }
    }
  }
}
