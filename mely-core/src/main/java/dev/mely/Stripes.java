package dev.mely;

import java.util.Arrays;

/**
 * Locks that make registrations of several colors atomic to each other, by lock striping. Without
 * them two events over the colors a and b could enter a's queue in one order and b's in the other,
 * and wait for each other for ever: a deadlock. So could three over {a, b}, {b, c} and {c, a}.
 *
 * <p>Each color belongs to a stripe. A registration locks the stripes of its colors in ascending
 * order, appends its tickets, and unlocks them (two-phase locking). Two registrations that share a
 * color share its stripe, so one has appended all its tickets before the other appends its first to
 * a shared color. Events of one color lock no stripe: they can be part of no cycle.
 *
 * <p>A stripe is locked for as long as it takes to append some tickets. A thread that waits for one
 * spins, then yields, since the owner may have lost its CPU. Source: SPEC E2.
 */
final class Stripes {
  private static final int STRIPES = 64;
  private static final int SPINS = 200;

  private final PaddedInt[] taken = new PaddedInt[STRIPES];

  Stripes() {
    Arrays.setAll(taken, i -> new PaddedInt());
  }

  /** Locks the stripes of some colors; returns them, one bit each, for {@link #unlock}. */
  long lock(Object[] colors) {
    long all = 0;
    for (Object color : colors) {
      all |= 1L << (System.identityHashCode(color) & (STRIPES - 1));
    }
    for (long left = all; left != 0; left &= left - 1) {
      lock(taken[Long.numberOfTrailingZeros(left)]);
    }
    return all;
  }

  private static void lock(PaddedInt stripe) {
    for (int spins = 0; !stripe.compareAndSet(0, 1); spins++) {
      if (spins < SPINS) {
        Thread.onSpinWait();
      } else {
        Thread.yield();
      }
    }
  }

  void unlock(long all) {
    for (long left = all; left != 0; left &= left - 1) {
      taken[Long.numberOfTrailingZeros(left)].setRelease(0);
    }
  }
}
