package dev.mely.stage;

import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/**
 * The stages of a program, which of them registers which, and what they allocate and free.
 * Immutable.
 *
 * <p>A stage is a handler by its name: all handlers of that name are one stage. Source: the Stingy
 * Allocator, sections 2.1 and 4.2.1 (stage call graph); SPEC D5.
 *
 * @param stages in the order of their names; each name once
 * @param edges from stage to stage, in the order of their names
 * @param allocations in the order of their names; each name once
 */
public record StageGraph(List<Stage> stages, List<Edge> edges, List<Allocation> allocations) {
  /**
   * Where events come from that no handler registers: I/O, signals, other threads and other
   * runtimes.
   */
  public static final String OUTSIDE = "";

  /**
   * What is known of a stage.
   *
   * @param name of the stage
   * @param runs how many events it has handled
   * @param costNanos mean time of one of them, in nanoseconds
   * @param penalty as its handlers have it, 1 or more
   * @param parts whose code runs in it, one after the other: the classes of its handlers
   */
  public record Stage(String name, long runs, long costNanos, int penalty, List<String> parts) {
    /**
     * Checks the values.
     *
     * @throws IllegalArgumentException if the name is empty, or a number is out of range
     */
    public Stage {
      if (Objects.requireNonNull(name, "name").equals(OUTSIDE)) {
        throw new IllegalArgumentException("a stage needs a name");
      }
      check("runs", runs, 0);
      check("costNanos", costNanos, 0);
      check("penalty", penalty, 1);
      parts = List.copyOf(Objects.requireNonNull(parts, "parts"));
    }
  }

  /**
   * One stage registers events of another, or of itself.
   *
   * @param from who registers; {@link #OUTSIDE}: no stage
   * @param to whose events they are
   * @param count how many
   */
  public record Edge(String from, String to, long count) {
    /**
     * Checks the values.
     *
     * @throws IllegalArgumentException if the number is out of range
     */
    public Edge {
      Objects.requireNonNull(from, "from");
      Objects.requireNonNull(to, "to");
      check("count", count, 0);
    }
  }

  /**
   * Where an object is allocated or freed.
   *
   * @param stage which stage does
   * @param times how often it has
   * @param order which it was of the stage's objects when it did so for the first time, from 0
   */
  public record Site(String stage, long times, int order) {
    /**
     * Checks the values.
     *
     * @throws IllegalArgumentException if a number is out of range
     */
    public Site {
      Objects.requireNonNull(stage, "stage");
      check("times", times, 0);
      check("order", order, 0);
    }
  }

  /**
   * What is known of an object.
   *
   * @param name of the object
   * @param bytes of an instance: as declared, else the largest that was seen; 0: unknown
   * @param count how many instances a task has: as declared, else the most that it was told to
   *     have, else the most that one run has allocated; 0: unknown
   * @param countKnown whether that is all that a task has at a time: it was declared, or told, or
   *     no run has left any behind
   * @param allocatedBy the stages that allocate it
   * @param freedBy the stages that free it
   */
  public record Allocation(
      String name,
      int bytes,
      int count,
      boolean countKnown,
      List<Site> allocatedBy,
      List<Site> freedBy) {
    /**
     * Checks the values.
     *
     * @throws IllegalArgumentException if a number is out of range
     */
    public Allocation {
      Objects.requireNonNull(name, "name");
      check("bytes", bytes, 0);
      check("count", count, 0);
      allocatedBy = List.copyOf(Objects.requireNonNull(allocatedBy, "allocatedBy"));
      freedBy = List.copyOf(Objects.requireNonNull(freedBy, "freedBy"));
    }
  }

  /**
   * Checks that all names are those of existing stages.
   *
   * @throws IllegalArgumentException if a name is there twice, or a stage is named that is not
   *     there
   */
  public StageGraph {
    stages = List.copyOf(Objects.requireNonNull(stages, "stages"));
    edges = List.copyOf(Objects.requireNonNull(edges, "edges"));
    allocations = List.copyOf(Objects.requireNonNull(allocations, "allocations"));
    Set<String> names = new HashSet<>();
    for (Stage stage : stages) {
      unique(names, stage.name());
    }
    for (Edge edge : edges) {
      if (!edge.from().equals(OUTSIDE)) {
        known(names, edge.from());
      }
      known(names, edge.to());
    }
    Set<String> objects = new HashSet<>();
    for (Allocation allocation : allocations) {
      unique(objects, allocation.name());
      allocation.allocatedBy().forEach(site -> known(names, site.stage()));
      allocation.freedBy().forEach(site -> known(names, site.stage()));
    }
  }

  private static void check(String name, long value, long least) {
    if (value < least) {
      throw new IllegalArgumentException(name + " must be " + least + " or more, but is " + value);
    }
  }

  private static void unique(Set<String> names, String name) {
    if (!names.add(name)) {
      throw new IllegalArgumentException("'" + name + "' is there twice");
    }
  }

  private static void known(Set<String> names, String stage) {
    if (!names.contains(stage)) {
      throw new IllegalArgumentException("there is no stage '" + stage + "'");
    }
  }
}
