package dev.mely.bench.server;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedMethod;
import jdk.jfr.consumer.RecordingFile;

/**
 * What the compilers of a JVM have made, and what was thrown away of it; may be added up over
 * several. Not for several threads.
 */
final class CodeReport {
  /** The flight recorder's events. */
  static final String COMPILATION = "jdk.Compilation";

  static final String DEOPTIMIZATION = "jdk.Deoptimization";

  /** The level of the optimizing compiler's code. */
  private static final int OPTIMIZED = 4;

  private long bytes;
  private long optimizedBytes;
  private long compilations;

  /** Optimized compilations by method. */
  private final Map<String, Integer> optimized = new HashMap<>();

  /** By method and reason. */
  private final Map<String, Integer> deoptimizations = new HashMap<>();

  /** Reads a recording and adds what it says. */
  void add(Path recording) throws IOException {
    try (RecordingFile file = new RecordingFile(recording)) {
      while (file.hasMoreEvents()) {
        add(file.readEvent());
      }
    }
  }

  private void add(RecordedEvent event) {
    String type = event.getEventType().getName();
    if (type.equals(COMPILATION)) {
      addCompilation(method(event), event.getInt("compileLevel"), event.getLong("codeSize"));
    } else if (type.equals(DEOPTIMIZATION)) {
      addDeoptimization(method(event), event.getString("reason"));
    }
  }

  private static String method(RecordedEvent event) {
    RecordedMethod method = event.getValue("method");
    return method == null ? "?" : method.getType().getName() + "." + method.getName();
  }

  /** One that has failed has made no code. */
  void addCompilation(String method, int level, long codeBytes) {
    if (codeBytes <= 0) {
      return;
    }
    compilations++;
    bytes += codeBytes;
    if (level == OPTIMIZED) {
      optimizedBytes += codeBytes;
      optimized.merge(method, 1, Integer::sum);
    }
  }

  void addDeoptimization(String method, String reason) {
    deoptimizations.merge(method + ": " + reason, 1, Integer::sum);
  }

  /** Adds what another one has. */
  void add(CodeReport other) {
    bytes += other.bytes;
    optimizedBytes += other.optimizedBytes;
    compilations += other.compilations;
    other.optimized.forEach((k, v) -> optimized.merge(k, v, Integer::sum));
    other.deoptimizations.forEach((k, v) -> deoptimizations.merge(k, v, Integer::sum));
  }

  /** Adds the sums to a sample. */
  void addTo(Map<String, Double> sample) {
    sample.put("codeBytes", (double) bytes);
    sample.put("optimizedBytes", (double) optimizedBytes);
    sample.put("compilations", (double) compilations);
    sample.put("optimizations", (double) sum(optimized));
    sample.put("deoptimizations", (double) sum(deoptimizations));
  }

  private static int sum(Map<String, Integer> counts) {
    return counts.values().stream().mapToInt(Integer::intValue).sum();
  }

  /** How often each method was optimized, the most frequent first. */
  Map<String, Integer> optimizations() {
    return sorted(optimized);
  }

  /** How often each method's code was thrown away, and why, the most frequent first. */
  Map<String, Integer> deoptimizations() {
    return sorted(deoptimizations);
  }

  private static Map<String, Integer> sorted(Map<String, Integer> counts) {
    List<Map.Entry<String, Integer>> all = new ArrayList<>(counts.entrySet());
    all.sort(
        Collections.reverseOrder(Map.Entry.<String, Integer>comparingByValue())
            .thenComparing(Map.Entry.comparingByKey()));
    Map<String, Integer> sorted = new LinkedHashMap<>();
    all.forEach(e -> sorted.put(e.getKey(), e.getValue()));
    return sorted;
  }
}
