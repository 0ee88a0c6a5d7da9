package dev.mely.bench.server;

import dev.mely.bench.ResultTable;
import java.util.Map;

/**
 * Memory use of a server's process between two readings.
 *
 * @param directBytes maximum that its allocator had reserved, used or not; 0 if unknown
 * @param liveBytes maximum of buffers in use, per core; 0 if unknown
 * @param pauses number of GC pauses; negative if it has no GC
 * @param pauseMillis total duration of the pauses
 */
record Footprint(long directBytes, long liveBytes, long pauses, long pauseMillis) {
  /** For a process that is not a JVM. */
  static final Footprint NONE = new Footprint(0, 0, -1, 0);

  private static final double KIB = 1024;

  /** Adds the known figures to a sample. */
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

  /** Adds columns for the figures of {@link #addTo}. */
  static ResultTable columns(ResultTable table) {
    return table
        .median("direct MiB", "directMiB", 1)
        .median("live KiB/core", "liveKiB", 0)
        .median("GC pauses", "pauses", 0)
        .median("GC ms", "pauseMillis", 0);
  }

  /** Explains these columns. */
  static final String LEGEND =
      """
      direct: peak direct memory of the server's buffer allocator; of sws-core all of the JDK's. live: peak of
      the buffers in use, per core: the greatest core's for stingy buffers, the mean for pooled ones; –:
      unknown. Sampled every 5 ms. GC pauses, GC ms: number and total time of GC pauses during a sample.
      """;
}
