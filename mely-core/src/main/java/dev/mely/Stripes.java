package dev.mely;

import java.util.Arrays;

/**
 * Makes the tickets of one event enter the queues of all its colors as if at one instant, as far as
 * other events over several colors can tell. Without, two events over the colors a and b could
 * enter a in one order and b in the other, and wait for each other (a deadlock); and so could three
 * over {a, b}, {b, c} and {c, a}.
 *
 * <p>Each color belongs to a stripe. A registration takes the stripes of its colors in ascending
 * order, appends its tickets, and lets the stripes go: two registrations that share a color share
 * its stripe, and so one has appended all of its tickets before the other one appends its first to
 * a color of both. Events of one color take no stripe: they cannot be part of a cycle.
 *
 * <p>A stripe is held for as long as it takes to append some tickets; a thread that waits for one
 * spins, and yields after a while, since the owner may have been preempted. Source: SPEC E2 (in two
 * phases).
 */
final class Stripes {
  private static final int STRIPES = 64;
  private static final int SPINS = 200;

  private final PaddedInt[] taken = new PaddedInt[STRIPES];

  Stripes() {
    Arrays.setAll(taken, i -> new PaddedInt());
  }

  /** Takes the stripes of some colors; returns them, one bit each, for {@link #unlock}. */
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
