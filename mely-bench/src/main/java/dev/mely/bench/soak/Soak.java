package dev.mely.bench.soak;

import dev.mely.bench.Progress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * Round after round, until the time is over.
 *
 * @param seconds how long, about
 * @param seed of what is built and when it ends; threads make the rest differ each time
 * @param cores workers of each runtime
 * @param sampleSeconds distance of heap samples
 * @param forget the planted fault: number of an event that is not accounted for; 0: none
 */
record Soak(int seconds, long seed, int cores, int sampleSeconds, long forget) {
  private static final int MIN_MILLIS = 200;
  private static final int MAX_MILLIS = 3_000;

  /**
   * What came out.
   *
   * @param ledger every event
   * @param heap after full collections
   */
  record Result(Ledger ledger, HeapSeries heap) {
    /** What went wrong; empty if nothing did. */
    List<String> faults() {
      List<String> faults = new ArrayList<>(ledger.faults());
      if (!heap.isFlat()) {
        faults.add("the heap grows by " + heap.slope() + " MiB a sample");
      }
      return faults;
    }

    Map<String, Object> toMap() {
      Map<String, Object> map = new LinkedHashMap<>();
      map.put("accepted", ledger.accepted.sum());
      map.put("ran", ledger.ran.sum());
      map.put("rejected", ledger.rejected.sum());
      map.put("refused", ledger.refused.sum());
      map.put("outOfOrder", ledger.outOfOrder.sum());
      map.put("thrown", ledger.thrown.sum());
      map.put("reported", ledger.reported.sum());
      map.put("timersStarted", ledger.timersStarted.sum());
      map.put("timersRan", ledger.timersRan.sum());
      map.put("timersLeft", ledger.timersLeft.sum());
      map.put("colors", ledger.colors.sum());
      map.put("restarts", ledger.restarts.sum());
      map.put("stuckCores", ledger.stuckCores.sum());
      map.put("threadsLeft", ledger.mostThreadsLeft.get());
      map.put("heapMiB", heap.mebibytes());
      map.put("heapSlopeMiBPerSample", heap.slope());
      map.put("faults", faults());
      return map;
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
