package dev.mely.examples.stingy;

import dev.mely.stage.StageGraph;
import dev.mely.stage.StageGraph.Allocation;
import dev.mely.stage.StageGraph.Edge;
import dev.mely.stage.StageGraph.Site;
import dev.mely.stage.StageGraph.Stage;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The part of a stage graph in which each object is live, by textbook data-flow analysis: forward
 * liveness (on some path to a stage, the object is allocated and not freed) and dominators (stages
 * on all paths to another stage).
 *
 * <p>As in the paper, some objects are left out: those that no stage frees or that are live where a
 * task ends (they are global), and those allocated in a cycle of stages whose number of rounds is
 * unknown.
 *
 * <p>Source: the Stingy Allocator, sections 3.1 and 4.2.2.
 */
final class Lifetimes {
  private final StageGraph graph;

  // All by stage name.
  private final Map<String, Set<String>> successors = new LinkedHashMap<>();
  private final Map<String, Set<String>> dominators = new LinkedHashMap<>();

  /** The live objects at the start of a stage. */
  private final Map<String, Set<Allocation>> live = new LinkedHashMap<>();

  /** Why an object is left out, by its name. */
  private final Map<String, String> leftOut = new LinkedHashMap<>();

  Lifetimes(StageGraph graph) {
    this.graph = graph;
    List<String> names = graph.stages().stream().map(Stage::name).toList();
    for (String name : names) {
      successors.put(name, new LinkedHashSet<>());
      dominators.put(name, new HashSet<>(names));
      live.put(name, new HashSet<>());
    }
    Set<String> entries =
        new HashSet<>(names); // stages without predecessors, or registered from outside
    for (Edge edge : graph.edges()) {
      if (!edge.from().equals(StageGraph.OUTSIDE)) {
        of(successors, edge.from()).add(edge.to());
        if (!edge.from().equals(edge.to())) {
          entries.remove(edge.to());
        }
      }
    }
    for (Edge edge : graph.edges()) {
      if (edge.from().equals(StageGraph.OUTSIDE)) {
        entries.add(edge.to());
      }
    }
    while (live()) {}
    while (dominate(entries)) {}
    for (Allocation object : graph.allocations()) {
      String reason = reason(object);
      if (reason != null) {
        leftOut.put(object.name(), reason);
      }
    }
  }

  private static <T> Set<T> of(Map<String, Set<T>> sets, String stage) {
    return Objects.requireNonNull(sets.get(stage), stage);
  }

  // ---- Data flow, until nothing changes

  /**
   * One iteration towards the least fixed point: objects allocated, and not freed, on some path to
   * the stage.
   */
  private boolean live() {
    boolean changed = false;
    for (String from : live.keySet()) {
      Set<Allocation> out = out(from);
      for (String to : of(successors, from)) {
        changed |= of(live, to).addAll(out);
      }
    }
    return changed;
  }

  /** The live objects at the end of a stage. */
  private Set<Allocation> out(String stage) {
    Set<Allocation> out = new HashSet<>(of(live, stage));
    for (Allocation object : graph.allocations()) {
      if (isAt(object.freedBy(), stage)) {
        out.remove(object);
      } else if (isAt(object.allocatedBy(), stage)) {
        out.add(object);
      }
    }
    return out;
  }

  /**
   * One iteration towards the greatest fixed point: a stage's dominators are itself and the common
   * dominators of its predecessors.
   */
  private boolean dominate(Set<String> entries) {
    boolean changed = false;
    for (String stage : dominators.keySet()) {
      Set<String> common = of(dominators, stage);
      if (entries.contains(stage)) {
        changed |= common.retainAll(Set.of(stage));
        continue;
      }
      for (String before : dominators.keySet()) {
        if (of(successors, before).contains(stage)) {
          changed |= common.removeIf(s -> !s.equals(stage) && !of(dominators, before).contains(s));
        }
      }
    }
    return changed;
  }

  private boolean isInCycle(String stage) {
    Set<String> reached = new LinkedHashSet<>(of(successors, stage));
    while (reached.addAll(reached.stream().flatMap(s -> of(successors, s).stream()).toList())) {}
    return reached.contains(stage);
  }

  private static boolean isAt(List<Site> sites, String stage) {
    return sites.stream().anyMatch(site -> site.stage().equals(stage));
  }

  // ---- Results

  private @Nullable String reason(Allocation object) {
    if (object.allocatedBy().isEmpty()) {
      return "no stage allocates it";
    } else if (object.bytes() == 0) {
      return "its size is unknown";
    } else if (object.freedBy().isEmpty()) {
      return "no stage frees it: it is global";
    }
    for (String stage : live.keySet()) {
      if (Set.of(stage).containsAll(of(successors, stage)) && out(stage).contains(object)) {
        return "it is live where a task ends, in '" + stage + "': it is global";
      }
      if (isAt(object.allocatedBy(), stage) && !object.countKnown() && isInCycle(stage)) {
        String advice = "declare a number, or say --count " + object.name() + "=N";
        return "'" + stage + "', which allocates it, is in a cycle: " + advice;
      }
    }
    return null;
  }

  /** Why objects are left out, by name. */
  Map<String, String> leftOut() {
    return leftOut;
  }

  /** The objects that are not left out. */
  List<Allocation> managed() {
    return graph.allocations().stream().filter(o -> !leftOut.containsKey(o.name())).toList();
  }

  /** Whether an object may be live at the start of a stage. */
  boolean isLive(Allocation object, Stage stage) {
    return of(live, stage.name()).contains(object);
  }

  /** Whether a stage allocates an object. */
  static boolean allocates(Stage stage, Allocation object) {
    return isAt(object.allocatedBy(), stage.name());
  }

  /**
   * Whether a task that holds the second object must hold the first: the first's allocation
   * dominates the second's, which dominates the first's deallocation. Of an object with several
   * sites, one must dominate.
   */
  boolean holdsWith(Allocation first, Allocation second) {
    return !first.equals(second)
        && second.allocatedBy().stream()
            .allMatch(s -> first.allocatedBy().stream().anyMatch(f -> isBefore(f, s)))
        && first.freedBy().stream()
            .allMatch(f -> second.allocatedBy().stream().anyMatch(s -> dominates(s, f)));
  }

  /** Whether one of two sites dominates the other. */
  private boolean isBefore(Site first, Site second) {
    return first.stage().equals(second.stage())
        ? first.order() < second.order()
        : dominates(first, second);
  }

  /** Within one stage, allocations come before deallocations. */
  private boolean dominates(Site site, Site other) {
    return of(dominators, other.stage()).contains(site.stage());
  }
}
