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
 * What the steps of a runtime cost on a machine, in nanoseconds, if all that they touch is in the
 * core's own cache; what has to come from elsewhere is paid on top, by distance.
 *
 * <p>Of Mely's own runtime:
 *
 * @param register an event of a color that was idle, from within a handler
 * @param append an event of a color that was not
 * @param pick taking the next color of the core's own queue
 * @param run one event of a batch, without its handler's work
 * @param finish the end of a batch
 * @param weighEvent what an event costs beside that where stealing is on, and events are weighed
 * @param weighTurn what a batch costs beside that then
 * @param look one look at one core, for something to steal
 * @param claim taking a color from another core
 * @param park saying that one is parked, and looking again, in each of three steps
 * @param wake going on after a wait
 * @param poll looking for external events
 *     <p>Of the baselines:
 * @param lock an uncontended lock and unlock
 * @param guarded lines that move with the lock: a queue's ends, its counts, and what lies there
 * @param listRegister an event, beside the lock
 * @param listRun an event, beside the lock, without its handler's work
 * @param colorQueue what spinlock Mely pays more than libasync to run an event: a color's queue
 *     enters and leaves the core-queue
 * @param flatSteal what a thief does under the locks of libasync's cores, beside the search
 * @param listSteal what it does under those of spinlock Mely's
 * @param scan an event of a queue that is searched (Mely, section II-C)
 *     <p>Of both:
 * @param eventLines lines of an event and its color that come along to another core
 * @param wakeCall waking a worker up, for whoever does
 * @param wakeDelay from then until the worker goes on
 * @param wakeDelays as it varies: so many delays, each as likely; none: it is the same each time
 * @param betweenInterruptions from the end of one interruption of a core to the next, on average;
 *     0: there are none
 * @param interruptions how long they last, each as likely
 * @param lines a line from another core, by {@link dev.mely.topology.Topology#distance}
 * @param inner a line of the inner cache
 * @param shared a line of the cache that cores share
 * @param memory a line of memory
 * @param innerBytes size of the inner cache, bytes
 * @param sharedBytes size of the cache that cores share, bytes
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

  /** Nothing costs anything: what is left is queueing. */
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
   * @throws IllegalArgumentException if it cannot be read, or is something else
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

  /** Some figures replaced. */
  Costs with(Map<String, ?> changes) {
    Map<String, Object> values = toMap();
    values.putAll(changes);
    return fromJson(Json.line(values));
  }
}
