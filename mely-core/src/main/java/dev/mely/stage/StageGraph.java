package dev.mely.stage;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The stages of a program, which of them registers which, and what they allocate and free.
 * Immutable.
 *
 * <p>A stage is a handler by its name, whatever the number of handlers of that name. Source: the
 * Stingy Allocator, sections 2.1 and 4.2.1 (stage call graph); SPEC D5.
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
      if (name.equals(OUTSIDE)) {
        throw new IllegalArgumentException("a stage needs a name");
      }
      if (penalty < 1) {
        throw new IllegalArgumentException("penalty must be 1 or more, but is " + penalty);
      }
      parts = List.copyOf(parts);
    }
  }

  /**
   * One stage registers events of another, or of itself.
   *
   * @param from who registers; {@link #OUTSIDE}: no stage
   * @param to whose events they are
   * @param count how many
   */
  public record Edge(String from, String to, long count) {}

  /**
   * Where an object is allocated or freed.
   *
   * @param stage which stage does
   * @param times how often it has
   * @param order which it was of the stage's objects when it did so for the first time, from 0
   */
  public record Site(String stage, long times, int order) {}

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
    /** Copies the lists. */
    public Allocation {
      allocatedBy = List.copyOf(allocatedBy);
      freedBy = List.copyOf(freedBy);
    }
  }

  /**
   * Checks that whatever is named is there.
   *
   * @throws IllegalArgumentException if a name is there twice, or a stage is named that is not
   *     there
   */
  public StageGraph {
    stages = List.copyOf(stages);
    edges = List.copyOf(edges);
    allocations = List.copyOf(allocations);
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

  /**
   * Reads a graph that {@link #json} has written.
   *
   * @param json the text
   * @return the graph
   * @throws IllegalArgumentException if it is none; the message says where, or which value
   */
  public static StageGraph parse(String json) {
    JsonObject graph = JsonObject.parse(json);
    List<Stage> stages = new ArrayList<>();
    for (JsonObject each : graph.objects("stages")) {
      stages.add(
          each.checked(
              () ->
                  new Stage(
                      each.text("name"),
                      each.number("runs"),
                      each.number("costNanos"),
                      each.integer("penalty"),
                      each.texts("parts"))));
    }
    List<Edge> edges = new ArrayList<>();
    for (JsonObject each : graph.objects("edges")) {
      edges.add(new Edge(each.text("from"), each.text("to"), each.number("count")));
    }
    List<Allocation> allocations = new ArrayList<>();
    for (JsonObject each : graph.objects("allocations")) {
      allocations.add(
          new Allocation(
              each.text("name"),
              each.integer("bytes"),
              each.integer("count"),
              each.truth("countKnown"),
              sites(each, "allocatedBy"),
              sites(each, "freedBy")));
    }
    return new StageGraph(stages, edges, allocations);
  }

  private static List<Site> sites(JsonObject of, String name) {
    List<Site> sites = new ArrayList<>();
    for (JsonObject each : of.objects(name)) {
      sites.add(new Site(each.text("stage"), each.number("times"), each.integer("order")));
    }
    return sites;
  }

  /**
   * Writes the graph as JSON.
   *
   * @return a text that {@link #parse} reads
   */
  public String json() {
    Map<String, Object> graph = new LinkedHashMap<>();
    graph.put("stages", stages.stream().map(StageGraph::map).toList());
    graph.put("edges", edges.stream().map(StageGraph::map).toList());
    graph.put("allocations", allocations.stream().map(StageGraph::map).toList());
    return JsonWriter.write(graph);
  }

  private static Map<String, Object> map(Stage stage) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("name", stage.name());
    map.put("runs", stage.runs());
    map.put("costNanos", stage.costNanos());
    map.put("penalty", stage.penalty());
    map.put("parts", stage.parts());
    return map;
  }

  private static Map<String, Object> map(Edge edge) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("from", edge.from());
    map.put("to", edge.to());
    map.put("count", edge.count());
    return map;
  }

  private static Map<String, Object> map(Allocation allocation) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("name", allocation.name());
    map.put("bytes", allocation.bytes());
    map.put("count", allocation.count());
    map.put("countKnown", allocation.countKnown());
    map.put("allocatedBy", allocation.allocatedBy().stream().map(StageGraph::map).toList());
    map.put("freedBy", allocation.freedBy().stream().map(StageGraph::map).toList());
    return map;
  }

  private static Map<String, Object> map(Site site) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("stage", site.stage());
    map.put("times", site.times());
    map.put("order", site.order());
    return map;
  }
}
