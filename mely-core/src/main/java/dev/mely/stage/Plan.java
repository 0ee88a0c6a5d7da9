package dev.mely.stage;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * How many instances of each object may be in use at a time, so that all of them together fit a
 * working set. Immutable.
 *
 * <pre>{@code
 * Plan plan = Plan.of(Map.of("request", new Plan.Instances(64, 2048, Set.of("Parse"))));
 * }</pre>
 *
 * <p>An <em>object</em> is what one place in a program allocates; stages allocate it, and a stage
 * is a handler by its name. Source: the Stingy Allocator, section 3.1.
 */
public final class Plan {
  private final Map<String, Instances> objects;
  private final Map<String, Set<String>> allocated = new LinkedHashMap<>();
  private final Map<String, Set<String>> freed = new LinkedHashMap<>();

  /**
   * What is planned of one object.
   *
   * @param count how many instances there are, 1 or more
   * @param bytes size of one of them, 1 or more
   * @param stages names of the stages that allocate it
   * @param freedBy names of the stages that free it
   */
  public record Instances(int count, int bytes, Set<String> stages, Set<String> freedBy) {
    /**
     * An object of which is not said who frees it.
     *
     * @param count how many instances there are, 1 or more
     * @param bytes size of one of them, 1 or more
     * @param stages names of the stages that allocate it
     */
    public Instances(int count, int bytes, Set<String> stages) {
      this(count, bytes, stages, Set.of());
    }

    /**
     * Checks the values.
     *
     * @throws IllegalArgumentException if one is below 1
     */
    public Instances {
      check("count", count);
      check("bytes", bytes);
      stages = Collections.unmodifiableSet(new LinkedHashSet<>(stages));
      freedBy = Collections.unmodifiableSet(new LinkedHashSet<>(freedBy));
    }

    private static void check(String name, int value) {
      if (value < 1) {
        throw new IllegalArgumentException(name + " must be 1 or more, but is " + value);
      }
    }

    /**
     * Returns what all of them take.
     *
     * @return bytes
     */
    public long total() {
      return (long) count * bytes;
    }
  }

  private Plan(Map<String, Instances> objects) {
    this.objects = Collections.unmodifiableMap(new LinkedHashMap<>(objects));
    objects.forEach(
        (name, instances) -> {
          note(allocated, instances.stages(), name);
          note(freed, instances.freedBy(), name);
        });
  }

  private static void note(Map<String, Set<String>> byStage, Set<String> stages, String object) {
    for (String stage : stages) {
      byStage.computeIfAbsent(stage, s -> new LinkedHashSet<>()).add(object);
    }
  }

  /**
   * Makes a plan.
   *
   * @param objects what is planned of each object, by its name
   * @return the plan
   */
  public static Plan of(Map<String, Instances> objects) {
    return new Plan(objects);
  }

  /**
   * Reads a plan that {@link #json} has written, or {@code stingy plan --out}.
   *
   * @param json the text
   * @return the plan
   * @throws IllegalArgumentException if it is none; the message says where, or which value
   */
  public static Plan parse(String json) {
    Map<String, Instances> objects = new LinkedHashMap<>();
    for (JsonObject each : JsonObject.parse(json).objects("objects")) {
      String name = each.text("name");
      Instances planned =
          each.checked(
              () ->
                  new Instances(
                      each.integer("count"),
                      each.integer("bytes"),
                      new LinkedHashSet<>(each.texts("stages")),
                      new LinkedHashSet<>(each.textsIfAny("freedBy"))));
      if (objects.put(name, planned) != null) {
        throw new IllegalArgumentException("the object '" + name + "' is there twice");
      }
    }
    return of(objects);
  }

  /**
   * Returns what is planned of each object, by its name.
   *
   * @return an immutable map in the plan's order
   */
  public Map<String, Instances> objects() {
    return objects;
  }

  /**
   * Returns what a stage allocates.
   *
   * @param stage its name
   * @return names of objects; empty for a stage that allocates nothing, or is not known
   */
  public Set<String> allocatedBy(String stage) {
    return Collections.unmodifiableSet(allocated.getOrDefault(stage, Set.of()));
  }

  /**
   * Returns what a stage frees.
   *
   * @param stage its name
   * @return names of objects; empty for a stage that frees nothing, or is not known
   */
  public Set<String> freedBy(String stage) {
    return Collections.unmodifiableSet(freed.getOrDefault(stage, Set.of()));
  }

  /**
   * Returns whether the plan says anything of a stage.
   *
   * @param stage its name
   * @return whether it allocates or frees an object
   */
  public boolean knows(String stage) {
    return allocated.containsKey(stage) || freed.containsKey(stage);
  }

  /**
   * Returns what all instances of all objects take.
   *
   * @return bytes
   */
  public long bytes() {
    return objects.values().stream().mapToLong(Instances::total).sum();
  }

  /**
   * Writes the plan as JSON.
   *
   * @return a text that {@link #parse} reads
   */
  public String json() {
    List<Object> list = new ArrayList<>();
    objects.forEach(
        (name, planned) -> {
          Map<String, Object> each = new LinkedHashMap<>();
          each.put("name", name);
          each.put("count", planned.count());
          each.put("bytes", planned.bytes());
          each.put("stages", List.copyOf(planned.stages()));
          each.put("freedBy", List.copyOf(planned.freedBy()));
          list.add(each);
        });
    return JsonWriter.write(Map.of("objects", list));
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Plan plan && objects.equals(plan.objects);
  }

  @Override
  public int hashCode() {
    return objects.hashCode();
  }

  /** In short, for people. */
  @Override
  public String toString() {
    return "Plan" + objects;
  }
}
