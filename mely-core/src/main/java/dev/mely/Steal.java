package dev.mely;

import dev.mely.flight.Flight;
import org.jspecify.annotations.Nullable;

/**
 * One steal, from the search to the end of the first batch of the stolen color: {@link StealSearch}
 * fills it in, the worker runs the color, {@link StealPrice} learns from it. Each core has one, and
 * uses it again and again. Owned by the core's worker.
 */
final class Steal {
  /** What a search may take. */
  enum Mode {
    /**
     * Where there are no stealing-queues: the first color of a core-queue that holds less than half
     * of its core's events (Mely, section II-B).
     */
    BASE,

    /** A color of a stealing-queue whose work is worth the steal (sections III-B, III-C). */
    WORTHY,

    /** Nothing is worthy: what is next in a core-queue in which much waits. Beyond the paper. */
    BACKLOG,

    /** As {@link #WORTHY}, at one overloaded core, for a core that has colors of its own. */
    RELIEF,

    /**
     * Any color that is not pinned, at a core that is stuck in a handler. Such a core is always
     * searched in this mode.
     */
    STUCK
  }

  private @Nullable Color color;
  private int victim;
  private Mode mode = Mode.WORTHY;
  private int waiting;
  private long begun;
  private long won;

  /** A search begins, or another round of it. */
  void beginSearch(long now) {
    begun = now;
  }

  /**
   * The thief has claimed a color.
   *
   * @param waiting of a {@link Mode#BACKLOG}: how many colors waited there, this one among them
   * @param now on the host's clock
   */
  void win(Color color, Core victim, Mode mode, int waiting, long now) {
    this.color = color;
    this.victim = victim.index;
    this.mode = mode;
    this.waiting = waiting;
    this.won = now;
  }

  /** Hands over the stolen color. */
  Color takeColor() {
    Color taken = color;
    if (taken == null) {
      throw new AssertionError("nothing was stolen");
    }
    color = null;
    return taken;
  }

  Mode mode() {
    return mode;
  }

  /** Of a {@link Mode#BACKLOG}: how many colors waited at the victim, the stolen one among them. */
  int waiting() {
    return waiting;
  }

  /** What the search took, in nanoseconds. */
  long searchNanos() {
    return won - begun;
  }

  /** When the color was won, on the host's clock. */
  long won() {
    return won;
  }

  /** Tells the flight recorder of the color that was won last. */
  void record(int thief, Color stolen) {
    boolean stuck = mode == Mode.STUCK;
    Flight.stole(thief, victim, stuck, stolen, stolen.pending(), stolen.weight(), searchNanos());
  }
}
