package dev.mely.bench.sim;

import dev.mely.bench.Json;
import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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

  /** Checks the figures. */
  Costs {
    lines = List.copyOf(lines);
    wakeDelays = List.copyOf(wakeDelays);
    interruptions = List.copyOf(interruptions);
    if (lines.size() != DISTANCES) {
      throw new IllegalArgumentException(
          "lines: there must be " + DISTANCES + " figures, but there are " + lines.size());
    }
  }

  /** Nothing costs anything: what is left is queueing. */
  static Costs free() {
    Map<String, Object> values = new LinkedHashMap<>();
    for (RecordComponent c : Costs.class.getRecordComponents()) {
      values.put(c.getName(), c.getType() == List.class ? List.of() : (Object) 0.0);
    }
    values.put("lines", Collections.nCopies(DISTANCES, 0.0));
    return of(values);
  }

  /** As a map, for a file. */
  Map<String, Object> toMap() {
    Map<String, Object> map = new LinkedHashMap<>();
    try {
      for (RecordComponent c : Costs.class.getRecordComponents()) {
        map.put(c.getName(), c.getAccessor().invoke(this));
      }
    } catch (ReflectiveOperationException e) {
      throw new LinkageError("a record's own accessor", e);
    }
    return map;
  }

  /**
   * Reads a file's text.
   *
   * @throws IllegalArgumentException if it is not JSON, or a figure is missing, unknown or negative
   */
  static Costs fromJson(String text) {
    if (!(Json.read(text) instanceof Map<?, ?> map)) {
      throw new IllegalArgumentException("costs: not a map");
    }
    Map<String, Object> values = new LinkedHashMap<>();
    map.forEach((key, value) -> values.put(String.valueOf(key), value));
    return of(values);
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
    return of(values);
  }

  private static Costs of(Map<String, Object> values) {
    RecordComponent[] components = Costs.class.getRecordComponents();
    Object[] arguments = new Object[components.length];
    for (int i = 0; i < components.length; i++) {
      String name = components[i].getName();
      Object value = values.remove(name);
      if (components[i].getType() == List.class) {
        if (!(value instanceof List<?> list)) {
          throw new IllegalArgumentException("costs: no list '" + name + "'");
        }
        arguments[i] = list.stream().map(v -> number(name, v)).toList();
      } else {
        arguments[i] = number(name, value);
      }
    }
    if (!values.isEmpty()) {
      throw new IllegalArgumentException("costs: unknown " + values.keySet());
    }
    try {
      Class<?>[] types =
          Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new);
      return Costs.class.getDeclaredConstructor(types).newInstance(arguments);
    } catch (ReflectiveOperationException e) {
      throw new IllegalArgumentException("costs: " + e.getCause(), e);
    }
  }

  private static double number(String name, @Nullable Object value) {
    if (!(value instanceof Double number) || !(number >= 0)) {
      throw new IllegalArgumentException(
          "costs: '" + name + "' must be a figure of 0 or more, but is " + value);
    }
    return number;
  }
}
