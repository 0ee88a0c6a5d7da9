package dev.mely.bench.soak;

import dev.mely.bench.Progress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * Runs rounds until the time is over.
 *
 * @param seconds approximate duration
 * @param seed of settings and ends; the threads' interleaving differs each time
 * @param cores workers of each runtime
 * @param sampleSeconds interval of heap samples
 * @param forget the planted fault: number of an event that is not counted; 0: none
 */
record Soak(int seconds, long seed, int cores, int sampleSeconds, long forget) {
  private static final int MIN_MILLIS = 200;
  private static final int MAX_MILLIS = 3_000;

  /**
   * The result.
   *
   * @param ledger counts of all events
   * @param heap use after full GCs
   */
  record Result(Ledger ledger, HeapSeries heap) {
    /** All faults; empty if there are none. */
    List<String> faults() {
      List<String> faults = new ArrayList<>(ledger.faults());
      if (!heap.isFlat()) {
        faults.add("the heap grows by " + heap.slope() + " MiB a sample");
      }
      return faults;
    }

    Map<String, Long> counts() {
      Map<String, Long> counts = new LinkedHashMap<>();
      counts.put("accepted", ledger.accepted.sum());
      counts.put("ran", ledger.ran.sum());
      counts.put("rejected", ledger.rejected.sum());
      counts.put("open", ledger.open());
      counts.put("refused", ledger.refused.sum());
      counts.put("outOfOrder", ledger.outOfOrder.sum());
      counts.put("thrown", ledger.thrown.sum());
      counts.put("reported", ledger.reported.sum());
      counts.put("timersStarted", ledger.timersStarted.sum());
      counts.put("timersRan", ledger.timersRan.sum());
      counts.put("timersLeft", ledger.timersLeft.sum());
      counts.put("colors", ledger.colors.sum());
      counts.put("restarts", ledger.restarts.sum());
      counts.put("stuckCores", ledger.stuckCores.sum());
      counts.put("threadsLeft", ledger.mostThreadsLeft.get());
      return counts;
    }
  }

  Result run() throws InterruptedException {
    Ledger ledger = new Ledger();
    HeapSeries heap = new HeapSeries();
    SplittableRandom random = new SplittableRandom(seed);
    long start = System.nanoTime();
    long samples = 0;
    long shown = 0;
    try (Progress progress = new Progress("soak", seconds)) {
      while (secondsSince(start) < seconds) {
        long left = 1_000L * seconds - (System.nanoTime() - start) / 1_000_000;
        int millis = random.nextInt(MIN_MILLIS, MAX_MILLIS);
        Duration time = Duration.ofMillis(Math.max(MIN_MILLIS, Math.min(millis, left)));
        new Round(ledger, random.split(), cores, forget).run(time);
        if (secondsSince(start) / sampleSeconds > samples) {
          samples = secondsSince(start) / sampleSeconds;
          heap.sample();
        }
        progress.begin(ledger.ran + " events, " + ledger.restarts + " restarts");
        for (; shown < Math.min(seconds, secondsSince(start)); shown++) {
          progress.end();
        }
      }
    }
    return new Result(ledger, heap);
  }

  private static long secondsSince(long start) {
    return (System.nanoTime() - start) / 1_000_000_000;
  }
}
