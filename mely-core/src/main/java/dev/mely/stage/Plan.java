package dev.mely.stage;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;

/**
 * How many instances of each object may be in use at a time, so that all of them together fit a
 * working set. Immutable.
 *
 * <pre>{@code
 * Plan plan = new Plan(Map.of("request", new Plan.Instances(64, 2048, Set.of("Parse"))));
 * }</pre>
 *
 * <p>An <em>object</em> is what one place in a program allocates; stages allocate it, and a stage
 * is a handler by its name. Source: the Stingy Allocator, section 3.1.
 *
 * @param objects what is planned of each object, by its name; kept in their order
 */
public record Plan(Map<String, Instances> objects) {
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
      stages =
          Collections.unmodifiableSet(
              new LinkedHashSet<>(Objects.requireNonNull(stages, "stages")));
      freedBy =
          Collections.unmodifiableSet(
              new LinkedHashSet<>(Objects.requireNonNull(freedBy, "freedBy")));
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

  /** Copies the objects. */
  public Plan {
    objects =
        Collections.unmodifiableMap(
            new LinkedHashMap<>(Objects.requireNonNull(objects, "objects")));
    objects.values().forEach(Objects::requireNonNull);
  }

  /**
   * Returns what a stage allocates.
   *
   * @param stage its name
   * @return names of objects; empty for a stage that allocates nothing, or is not known
   */
  public Set<String> allocatedBy(String stage) {
    return objects(stage, Instances::stages);
  }

  /**
   * Returns what a stage frees.
   *
   * @param stage its name
   * @return names of objects; empty for a stage that frees nothing, or is not known
   */
  public Set<String> freedBy(String stage) {
    return objects(stage, Instances::freedBy);
  }

  private Set<String> objects(String stage, Function<Instances, Set<String>> stages) {
    Objects.requireNonNull(stage, "stage");
    Set<String> names = new LinkedHashSet<>();
    objects.forEach(
        (name, planned) -> {
          if (stages.apply(planned).contains(stage)) {
            names.add(name);
          }
        });
    return Collections.unmodifiableSet(names);
  }

  /**
   * Returns whether the plan says anything of a stage.
   *
   * @param stage its name
   * @return whether it allocates or frees an object
   */
  public boolean knows(String stage) {
    return !allocatedBy(stage).isEmpty() || !freedBy(stage).isEmpty();
  }

  /**
   * Returns what all instances of all objects take.
   *
   * @return bytes
   */
  public long bytes() {
    return objects.values().stream().mapToLong(Instances::total).sum();
  }
}
