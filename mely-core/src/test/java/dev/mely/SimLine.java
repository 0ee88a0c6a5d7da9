package dev.mely;

import java.util.BitSet;

/** The events of one color of a {@link Schedule} in the order in which they were registered. */
final class SimLine {
  private final BitSet reads = new BitSet();
  private final BitSet over = new BitSet();
  private int length;

  /** One more event; returns its place. */
  int add(boolean onlyReads) {
    reads.set(length, onlyReads);
    return length++;
  }

  /** The last one was refused. */
  void takeBack() {
    length--;
  }

  /** Whether the event of that place may run: all are over before it that may not run beside it. */
  boolean isNext(int place) {
    for (int i = over.nextClearBit(0); i < place; i = over.nextClearBit(i + 1)) {
      if (!reads.get(i) || !reads.get(place)) {
        return false;
      }
    }
    return true;
  }

  void end(int place) {
    over.set(place);
  }
}
