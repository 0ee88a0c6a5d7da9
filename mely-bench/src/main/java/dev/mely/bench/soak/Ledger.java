package dev.mely.bench.soak;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.LongAccumulator;
import java.util.concurrent.atomic.LongAdder;

/** Counts of all events, timers and failures. Thread-safe. */
final class Ledger {
  /** The runtime accepted the event. */
  final LongAdder accepted = new LongAdder();

  /** The runtime refused the event: too many pending, or shut down. */
  final LongAdder refused = new LongAdder();

  final LongAdder ran = new LongAdder();

  /** Accepted, and returned by a shutdown. */
  final LongAdder rejected = new LongAdder();

  /** Events that did not see the effects of their color's previous event. */
  final LongAdder outOfOrder = new LongAdder();

  final LongAdder thrown = new LongAdder();
  final LongAdder reported = new LongAdder();
  final LongAdder timersStarted = new LongAdder();
  final LongAdder timersRan = new LongAdder();
  final LongAdder timersLeft = new LongAdder();
  final LongAdder colors = new LongAdder();
  final LongAdder restarts = new LongAdder();
  final LongAdder stuckCores = new LongAdder();
  final LongAccumulator mostThreadsLeft = new LongAccumulator(Math::max, 0);

  /** Accepted events that have neither run nor been rejected. */
  long open() {
    return accepted.sum() - ran.sum() - rejected.sum();
  }

  /**
   * Contradictions between the counts; empty if there are none. Called when no event is pending.
   */
  List<String> faults() {
    List<String> faults = new ArrayList<>();
    String ended = ran + " ran and " + rejected + " were rejected";
    if (open() != 0) {
      faults.add("accepted " + accepted + " events, but " + ended);
    }
    if (outOfOrder.sum() != 0) {
      faults.add(
          outOfOrder
              + " events ran out of order, twice, or in parallel with another one of their color");
    }
    if (reported.sum() != thrown.sum()) {
      faults.add("handlers threw " + thrown + " times, but " + reported + " were reported");
    }
    if (timersLeft.sum() != 0) {
      faults.add(timersLeft + " timers neither ran nor were cancelled by the end of their runtime");
    }
    if (mostThreadsLeft.get() != 0) {
      faults.add(mostThreadsLeft + " threads outlived their runtime");
    }
    return faults;
  }
}
