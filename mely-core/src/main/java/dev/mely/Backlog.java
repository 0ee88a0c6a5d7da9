package dev.mely;

/**
 * Decides when so much waits at a core that a thief which has found nothing worthy takes the next
 * color from there all the same.
 *
 * <p>The time-left heuristic compares what a color holds with what a steal costs, penalty and cache
 * misses included (Mely, sections III-B and III-C). But a core that has nothing else to do pays
 * that price with time that it does not need: what it takes is done sooner, even dragged along, if
 * its turn at its own core would have come later still. How late that is shows in the number of
 * colors that wait there; whether it was worth it, in what the steal turned out to cost. So the
 * number that is demanded is halved with each steal that has proved itself, down to {@link #LEAST},
 * and doubled with each that has not. Where events are too short to be stolen, as many are tried as
 * that number has binary digits, and then one now and then, as it wears off.
 *
 * <p>One for all thieves of a runtime. Races are benign: it is an estimate.
 */
final class Backlog extends PadBefore {
  /** Where fewer colors wait, their own core is with them soon. */
  static final int LEAST = 4;

  /** What is stolen must be done in such a part of the time that it would have waited. */
  private static final int PART = 2;

  /**
   * Who demands so many demands too much: not even looks, until the number, twice as many then, has
   * worn off. A look at the length of all other queues costs a thief as much as its search.
   */
  static final int MOST = 1 << 12;

  private int demanded = LEAST;

  /** When it wore off last. */
  private long since;

  /** Whether to ask at all how many wait: that takes lines from cores that are busy. */
  boolean mayBeLong() {
    return demanded < MOST;
  }

  /** Whether so many waiting colors are enough for a thief that is there. */
  boolean isLong(int waiting) {
    return waiting >= demanded && mayBeLong();
  }

  /**
   * Whether they are enough to call a thief. On credit: until a steal has proved itself, the next
   * call takes twice as many.
   */
  boolean mayCall(int waiting) {
    boolean enough = isLong(waiting / 2);
    if (enough) {
      disprove();
    }
    return enough;
  }

  /**
   * Takes note of one steal. Whatever else waited is taken to hold about as much as this color.
   *
   * @param waiting how many colors waited at the victim, this one among them
   * @param tookNanos what the steal took, and the stolen events here
   * @param expectedNanos what these take at their own core
   * @return whether it has proved itself: the events were not so short that taking them costs their
   *     own core as much, and they were done long before their turn there
   */
  boolean observe(int waiting, long tookNanos, long expectedNanos) {
    if (expectedNanos < Worthiness.MIN_STEAL_NANOS || PART * tookNanos > waiting * expectedNanos) {
      disprove();
      return false;
    }
    if (demanded > LEAST) {
      demanded = Math.max(LEAST, demanded / 2);
    }
    return true;
  }

  /** A steal has proved nothing, or none was possible. */
  void disprove() {
    int twice = 2 * demanded;
    demanded = twice < MOST ? twice : 2 * MOST;
  }

  /**
   * A number that is too high keeps thieves away, and only a steal corrects it: it wears off by a
   * sixteenth each time.
   *
   * @param now on the host's clock
   * @param everyNanos how often
   */
  void forget(long now, long everyNanos) {
    if (demanded > LEAST && now - since >= everyNanos) {
      since = now;
      demanded = Math.max(LEAST, demanded - (demanded + 15) / 16);
    }
  }
}
