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
 * From where to where in a stage graph each object lives, by textbook data flow: forward liveness,
 * which of the ways to a stage may bring it, and dominators, which stage is on all ways to another.
 *
 * <p>Left out, as in the paper, are objects that no stage frees or that are live where a task ends
 * (they are global), and those that are allocated in a cycle of stages without a known number.
 *
 * <p>Source: the Stingy Allocator, sections 3.1 and 4.2.2.
 */
final class Lifetimes {
  private final StageGraph graph;

  // All by the names of stages.
  private final Map<String, Set<String>> successors = new LinkedHashMap<>();
  private final Map<String, Set<String>> dominators = new LinkedHashMap<>();

  /** What is live at the beginning of a stage. */
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
    Set<String> entries = new HashSet<>(names); // what has no predecessors, or comes from outside
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
   * Towards the least fixed point: what is allocated on a way to the stage, and not freed on it.
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

  /** What is live at the end of a stage. */
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
   * Towards the greatest fixed point: a stage dominates itself and whatever all ways to it have in
   * common.
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

  // ---- Judgment

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

  /** Why objects are left out, by their names. */
  Map<String, String> leftOut() {
    return leftOut;
  }

  /** The objects that are not left out. */
  List<Allocation> managed() {
    return graph.allocations().stream().filter(o -> !leftOut.containsKey(o.name())).toList();
  }

  /** Whether an object may be live at the beginning of a stage. */
  boolean isLive(Allocation object, Stage stage) {
    return of(live, stage.name()).contains(object);
  }

  /** Whether a stage allocates an object. */
  static boolean allocates(Stage stage, Allocation object) {
    return isAt(object.allocatedBy(), stage.name());
  }

  /**
   * Whether a task that holds the second object must hold the first: its allocation dominates the
   * second's, which dominates its deallocation. Of an object with several sites, one has to
   * dominate.
   */
  boolean holdsWith(Allocation first, Allocation second) {
    return !first.equals(second)
        && second.allocatedBy().stream()
            .allMatch(s -> first.allocatedBy().stream().anyMatch(f -> isBefore(f, s)))
        && first.freedBy().stream()
            .allMatch(f -> second.allocatedBy().stream().anyMatch(s -> dominates(s, f)));
  }

  /** Of two allocations. */
  private boolean isBefore(Site first, Site second) {
    return first.stage().equals(second.stage())
        ? first.order() < second.order()
        : dominates(first, second);
  }

  /** Within one stage, an allocation comes before a deallocation. */
  private boolean dominates(Site site, Site other) {
    return of(dominators, other.stage()).contains(site.stage());
  }
}
