package dev.mely.bench.server;

import dev.mely.bench.ResultTable;
import java.util.Map;

/**
 * What memory a server's process has taken between two looks.
 *
 * @param directBytes the most that its buffers' allocator had of the system, in use or not; 0 where
 *     it does not tell
 * @param liveBytes the most that buffers in use had, per core; 0 where the allocator does not tell
 * @param pauses how often its collector has stopped it; negative: it has none
 * @param pauseMillis for how long in all
 */
record Footprint(long directBytes, long liveBytes, long pauses, long pauseMillis) {
  /** A process that has none of it: it is no JVM. */
  static final Footprint NONE = new Footprint(0, 0, -1, 0);

  private static final double KIB = 1024;

  /** Adds what is known of it to a sample. */
  void addTo(Map<String, Double> sample) {
    if (directBytes > 0) {
      sample.put("directMiB", directBytes / KIB / KIB);
    }
    if (pauses >= 0) {
      sample.put("pauses", (double) pauses);
      sample.put("pauseMillis", (double) pauseMillis);
    }
    if (liveBytes > 0) {
      sample.put("liveKiB", liveBytes / KIB);
    }
  }

  /** Adds the columns of {@link #addTo}. */
  static ResultTable columns(ResultTable table) {
    return table
        .median("direct MiB", "directMiB", 1)
        .median("live KiB/core", "liveKiB", 0)
        .median("GC pauses", "pauses", 0)
        .median("GC ms", "pauseMillis", 0);
  }

  /** What these columns mean. */
  static final String LEGEND =
      """
      direct: the most direct memory that the allocator of the server's buffers had taken; of sws-core all
      of the JDK's. live: the most of it that was in buffers in use, per core: of stingy ones of the core
      that had most, of pooled ones the mean; –: it does not tell. Looked at every 5 ms. GC pauses, GC ms:
      how often the collector stopped the server during a sample, and how long in all.
      """;
}
