package dev.mely.bench.sim;

import dev.mely.bench.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Costs of a runtime's steps on a machine, in nanoseconds, if all data is in the core's own cache;
 * data from elsewhere costs more, by distance.
 *
 * <p>Mely's own runtime:
 *
 * @param register registering an event of an idle color, from within a handler
 * @param append registering an event of a color that is not idle
 * @param pick taking the next color of the core's own queue
 * @param run running one event of a batch, without its handler's work
 * @param finish ending a batch
 * @param weighEvent additional cost of an event with stealing, for weighing it
 * @param weighTurn additional cost of a batch with stealing
 * @param look one look at a core, for something to steal
 * @param claim taking a color from another core
 * @param park each of the three steps of parking
 * @param wake continuing after a park
 * @param poll polling for external events
 *     <p>The baselines:
 * @param lock an uncontended lock and unlock
 * @param guarded cache lines that move with the lock: a queue's ends, counts and entries
 * @param listRegister registering an event, without the lock
 * @param listRun running an event, without the lock and its handler's work
 * @param colorQueue additional cost per event of spinlock Mely: a color's queue enters and leaves
 *     the core-queue
 * @param flatSteal a steal of libasync under both locks, without the scan
 * @param listSteal a steal of spinlock Mely under both locks
 * @param scan scanning one event of a queue (Mely, section II-C)
 *     <p>Both:
 * @param eventLines cache lines of an event and its color, which move with a stolen color
 * @param wakeCall waking a worker, for the caller
 * @param wakeDelay from the call until the worker continues
 * @param wakeDelays distribution of {@code wakeDelay} as equally likely values; empty: constant
 * @param betweenInterruptions mean time from the end of one interruption of a core to the next; 0:
 *     there are none
 * @param interruptions durations of interruptions, equally likely
 * @param lines a cache line from another core, by {@link dev.mely.topology.Topology#distance}
 * @param inner a line from the inner cache
 * @param shared a line from the shared cache
 * @param memory a line from memory
 * @param innerBytes size of the inner cache, bytes
 * @param sharedBytes size of the shared cache, bytes
 */
record Costs(
    double register,
    double append,
    double pick,
    double run,
    double finish,
    double weighEvent,
    double weighTurn,
    double look,
    double claim,
    double park,
    double wake,
    double poll,
    double lock,
    double guarded,
    double listRegister,
    double listRun,
    double colorQueue,
    double flatSteal,
    double listSteal,
    double scan,
    double eventLines,
    double wakeCall,
    double wakeDelay,
    List<Double> wakeDelays,
    double betweenInterruptions,
    List<Double> interruptions,
    List<Double> lines,
    double inner,
    double shared,
    double memory,
    double innerBytes,
    double sharedBytes) {
  private static final int DISTANCES = 6;

  /** No costs: only queueing remains. */
  static Costs free() {
    String lists = "{\"wakeDelays\": [], \"interruptions\": [], \"lines\": [0, 0, 0, 0, 0, 0]}";
    return Objects.requireNonNull(Json.read(lists, Costs.class));
  }

  /** As a map. */
  Map<String, Object> toMap() {
    return map(Json.line(this));
  }

  private static Map<String, Object> map(String text) {
    Map<String, Object> map = new LinkedHashMap<>();
    if (Json.read(text) instanceof Map<?, ?> read) {
      read.forEach((name, value) -> map.put(String.valueOf(name), value));
    }
    return map;
  }

  /**
   * Reads a file's text.
   *
   * @throws IllegalArgumentException if it is not JSON, or a figure is missing, unknown or negative
   */
  static Costs fromJson(String text) {
    Map<String, Object> map = map(text);
    Set<String> names = free().toMap().keySet();
    if (!map.keySet().equals(names)) {
      throw new IllegalArgumentException(
          "costs: there must be " + names + ", but there are " + map.keySet());
    }
    map.forEach(Costs::check);
    return Objects.requireNonNull(Json.read(text, Costs.class));
  }

  private static void check(String name, @Nullable Object value) {
    List<?> all = value instanceof List<?> list ? list : Collections.singletonList(value);
    if (!all.stream().allMatch(each -> each instanceof Double number && number >= 0)
        || (name.equals("lines") && all.size() != DISTANCES)) {
      throw new IllegalArgumentException(
          "costs: '" + name + "' must be 0 or more, lines " + DISTANCES + " such, but is " + value);
    }
  }

  /**
   * Reads a file that {@code --costs} names.
   *
   * @throws IllegalArgumentException if it cannot be read, or is invalid
   */
  static Costs read(Path file) {
    try {
      return fromJson(Files.readString(file));
    } catch (IOException e) {
      throw new IllegalArgumentException("--costs: cannot read " + file, e);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("--costs: " + file + ": " + e.getMessage(), e);
    }
  }

  /** These costs with some figures replaced. */
  Costs with(Map<String, ?> changes) {
    Map<String, Object> values = toMap();
    values.putAll(changes);
    return fromJson(Json.line(values));
  }
}
