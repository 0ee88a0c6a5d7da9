package dev.mely;

/**
 * Which lane of a core-queue has the next turn (requirements A3, B13). Pure apart from the turns
 * that it remembers; one per core.
 *
 * <pre>
 *   rotation                 0 urgent | 1 all others, in the order in which they became ready
 *   cheapest first           0 urgent | 1 below 4 us | 2 below 16 us | 3 below 64 us | 4 longer
 *                              expected length of the color's next batch
 *                            5 longer, and in the background
 *   charge of a turn         1          1              4               16              64
 *                            128
 * </pre>
 *
 * <p>The lowest lane goes first, but ages those that it passes over: each turn is charged to all
 * lanes that wait, and one that has been charged {@link #PATIENCE} times its own charge is due. Of
 * several that are due, the most expensive goes first. So all lower lanes together get at most
 * {@code PATIENCE} times the time of a lane that waits, or twice that if it is the last one, whose
 * charge is twice its length; heavy colors wait longer than in rotation, but never more than a
 * fixed multiple. Within a lane colors take turns.
 *
 * <p>The bound: a color that has n others before it in its lane begins after turns that are charged
 *
 * <pre>
 *   (n + 1) * (PATIENCE * c + twice the sum of the charges of all lanes)         at most,
 * </pre>
 *
 * c being the charge of its own lane. Twice, since more expensive lanes may come due one after the
 * other from the cheapest up, each by the turn of the one before, and then once more from the most
 * expensive down. In turns of any length that is no more than
 *
 * <pre>
 *   (n + 1) * (PATIENCE * charge of the last lane + sum of the charges of all lanes)
 * </pre>
 */
final class TurnOrder {
  /** The lane of colors that an urgent event has woken up. */
  static final int URGENT = 0;

  /** A lane that waits is due when it has been charged this many times its own charge. */
  static final int PATIENCE = 2;

  /** Expected batches from here on, in nanoseconds, are long. */
  static final long LONG = 64_000;

  /** Upper bounds of the lanes' expected batches, in nanoseconds. */
  private static final long[] BOUNDS = {4_000, 16_000, LONG, Long.MAX_VALUE};

  private static final int[] CHARGES = {1, 1, 4, 16, 64, 128};

  /** With one lane for all, urgent turns are short against those they delay: a guess. */
  private static final int[] CHARGES_IN_ROTATION = {1, 8};

  private final int[] charges;
  private final int firstLong;

  /** What has been charged to a lane since its last turn. */
  private final int[] passed;

  TurnOrder(boolean cheapestFirst) {
    this.charges = cheapestFirst ? CHARGES : CHARGES_IN_ROTATION;
    this.passed = new int[charges.length];
    this.firstLong = lane(LONG);
  }

  /**
   * What counts as the expected length of a background batch: its own; if it is long, the greatest
   * value, which stands for the last lane. See {@link Handler.OfAction#background}.
   */
  static long inBackground(long expectedNanos) {
    return expectedNanos < LONG ? expectedNanos : Long.MAX_VALUE;
  }

  /** Number of lanes, the urgent one included. */
  int lanes() {
    return charges.length;
  }

  /** The first of the lanes whose batches are long; in rotation, of those that are not urgent. */
  int firstLong() {
    return firstLong;
  }

  /** The lane of a color whose next batch is expected to take this many nanoseconds; 0: unknown. */
  int lane(long expectedNanos) {
    int lane = 1;
    while (lane < charges.length - 1 && expectedNanos >= BOUNDS[lane - 1]) {
      lane++;
    }
    return lane;
  }

  /**
   * Chooses the lane to take the next color from, and takes note of it.
   *
   * @param waiting bit i is set if lane i holds a color; not zero
   */
  int next(int waiting) {
    int chosen = due(waiting);
    for (int lane = 0; lane < passed.length; lane++) {
      boolean waits = lane != chosen && (waiting & 1 << lane) != 0;
      passed[lane] = waits ? passed[lane] + charges[chosen] : 0;
    }
    return chosen;
  }

  /** The most expensive lane that is due, else the cheapest that waits. */
  private int due(int waiting) {
    for (int lane = passed.length - 1; lane > URGENT; lane--) {
      if ((waiting & 1 << lane) != 0 && passed[lane] >= PATIENCE * charges[lane]) {
        return lane;
      }
    }
    return Integer.numberOfTrailingZeros(waiting);
  }
}
