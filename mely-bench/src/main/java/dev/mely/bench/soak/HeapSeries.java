package dev.mely.bench.soak;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;

/** Heap use after full GCs, at regular intervals. Not thread-safe. */
final class HeapSeries {
  private static final double MEBI = 1024.0 * 1024.0;

  /** The share of the samples that count as warm-up. */
  private static final double WARM_UP = 0.25;

  /** Growth over the whole run up to this, or {@link #TOLERANCE_SHARE} of the mean, is noise. */
  private static final double TOLERANCE_MIB = 4;

  private static final double TOLERANCE_SHARE = 0.1;

  private final List<Double> mebibytes = new ArrayList<>();

  /** Runs a full GC, and records the heap use. */
  void sample() {
    System.gc();
    System.gc(); // references that the first GC has only enqueued
    add(ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed() / MEBI);
  }

  void add(double mib) {
    mebibytes.add(mib);
  }

  List<Double> mebibytes() {
    return List.copyOf(mebibytes);
  }

  private List<Double> warm() {
    return mebibytes.subList((int) (mebibytes.size() * WARM_UP), mebibytes.size());
  }

  /** Growth per sample after warm-up, in MiB, by least squares; 0 with fewer than two samples. */
  double slope() {
    List<Double> y = warm();
    int n = y.size();
    double meanX = (n - 1) / 2.0;
    double meanY = mean(y);
    double product = 0;
    double square = 0;
    for (int x = 0; x < n; x++) {
      product += (x - meanX) * (y.get(x) - meanY);
      square += (x - meanX) * (x - meanX);
    }
    return square == 0 ? 0 : product / square;
  }

  /** Whether the growth over the whole run is only noise. */
  boolean isFlat() {
    List<Double> y = warm();
    double growth = slope() * Math.max(0, y.size() - 1);
    return growth <= Math.max(TOLERANCE_MIB, TOLERANCE_SHARE * mean(y));
  }

  private static double mean(List<Double> values) {
    return values.stream().mapToDouble(Double::doubleValue).average().orElse(0);
  }
}
