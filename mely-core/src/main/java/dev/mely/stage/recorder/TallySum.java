package dev.mely.stage.recorder;

import dev.mely.annotation.Allocates;
import dev.mely.annotation.Frees;
import dev.mely.stage.StageGraph;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Puts the tallies of all cores together, and adds what the classes of handlers declare. What is
 * declared wins over what was measured.
 */
final class TallySum {
  /** A stage on all cores. */
  private static final class Total {
    long runs;
    long nanos;
    int penalty = 1;
    final Map<String, Class<?>> parts = new LinkedHashMap<>();
  }

  /** An object in all stages. */
  private static final class ObjectTotal {
    long bytes;
    long count;
    int declaredBytes;
    int declaredCount;
    long held;

    /** The most at a time in one run, if none has left any behind; 0 once one has. */
    long atOnce = -1;

    final Map<String, StageGraph.Site> allocatedBy = new TreeMap<>();
    final Map<String, StageGraph.Site> freedBy = new TreeMap<>();
  }

  private final Map<String, Total> stages = new TreeMap<>();
  private final Map<String, Map<String, Long>> edges = new TreeMap<>();
  private final Map<String, ObjectTotal> objects = new TreeMap<>();

  TallySum(List<StageTally> tallies) {
    for (StageTally tally : tallies) {
      add(tally);
    }
    // A stage may be registered by another and never have run, or be in its first run. What comes
    // from outside and never runs is of no interest: a timer that was cancelled, say.
    edges.forEach(
        (from, to) ->
            to.keySet().removeIf(t -> from.equals(StageGraph.OUTSIDE) && !stages.containsKey(t)));
    edges.values().forEach(to -> to.keySet().forEach(this::total));
    edges.keySet().stream().filter(from -> !from.equals(StageGraph.OUTSIDE)).forEach(this::total);
    stages.forEach((name, total) -> total.parts.values().forEach(part -> declare(name, part)));
  }

  private Total total(String stage) {
    return stages.computeIfAbsent(stage, s -> new Total());
  }

  private ObjectTotal object(String name) {
    return objects.computeIfAbsent(name, o -> new ObjectTotal());
  }

  private void add(StageTally tally) {
    tally.successors.forEach(
        (to, count) ->
            edges
                .computeIfAbsent(tally.name, from -> new TreeMap<>())
                .merge(to, count.get(), Long::sum));
    if (tally.runs.get() == 0) {
      return; // from outside, or only a place in a queue
    }
    Total total = total(tally.name);
    total.runs += tally.runs.get();
    total.nanos += tally.nanos.get();
    total.penalty = Math.max(total.penalty, tally.penalty);
    for (Class<?> part : tally.parts) {
      total.parts.putIfAbsent(part.getName(), part);
    }
    for (ObjectTally each : tally.allocated.values()) {
      ObjectTotal object = object(each.object);
      object.bytes = Math.max(object.bytes, each.largest.get());
      object.count = Math.max(object.count, each.mostInOneRun.get());
      object.held = Math.max(object.held, each.mostHeld.get());
      boolean local = each.isLocal() && object.atOnce != 0;
      object.atOnce = local ? Math.max(object.atOnce, each.mostAtOnce.get()) : 0;
      addSite(object.allocatedBy, tally.name, each.times.get(), each.order);
    }
    for (ObjectTally each : tally.freed.values()) {
      addSite(object(each.object).freedBy, tally.name, each.times.get(), each.order);
    }
  }

  private static void addSite(
      Map<String, StageGraph.Site> sites, String stage, long times, int order) {
    sites.merge(
        stage,
        new StageGraph.Site(stage, times, order),
        (a, b) ->
            new StageGraph.Site(stage, a.times() + b.times(), Math.min(a.order(), b.order())));
  }

  /** What was not measured of it is taken to happen once with each run. */
  private void declare(String stage, Class<?> part) {
    long runs = total(stage).runs;
    int order = 0;
    for (Allocates declared : part.getAnnotationsByType(Allocates.class)) {
      ObjectTotal object = object(declared.value());
      object.declaredBytes = Math.max(object.declaredBytes, declared.bytes());
      object.declaredCount = Math.max(object.declaredCount, declared.count());
      object.allocatedBy.putIfAbsent(stage, new StageGraph.Site(stage, runs, order++));
    }
    Frees frees = part.getAnnotation(Frees.class);
    if (frees != null) {
      for (int i = 0; i < frees.value().length; i++) {
        object(frees.value()[i]).freedBy.putIfAbsent(stage, new StageGraph.Site(stage, runs, i));
      }
    }
  }

  StageGraph graph() {
    List<StageGraph.Stage> all = new ArrayList<>();
    stages.forEach(
        (name, total) ->
            all.add(
                new StageGraph.Stage(
                    name,
                    total.runs,
                    total.runs == 0 ? 0 : total.nanos / total.runs,
                    total.penalty,
                    total.parts.values().stream().map(TallySum::simple).toList())));
    List<StageGraph.Edge> arrows = new ArrayList<>();
    edges.forEach((from, to) -> to.forEach((t, n) -> arrows.add(new StageGraph.Edge(from, t, n))));
    List<StageGraph.Allocation> memory = new ArrayList<>();
    objects.forEach((name, object) -> memory.add(allocation(name, object)));
    return new StageGraph(all, arrows, memory);
  }

  private static StageGraph.Allocation allocation(String name, ObjectTotal object) {
    long bytes = object.declaredBytes != 0 ? object.declaredBytes : object.bytes;
    long told = object.declaredCount != 0 ? object.declaredCount : object.held;
    long known = told != 0 ? told : Math.max(0, object.atOnce);
    long count = known != 0 ? known : Math.max(1, object.count);
    return new StageGraph.Allocation(
        name,
        (int) Math.min(bytes, Integer.MAX_VALUE),
        (int) Math.min(count, Integer.MAX_VALUE),
        known != 0,
        List.copyOf(object.allocatedBy.values()),
        List.copyOf(object.freedBy.values()));
  }

  /** Without the package, and without what a lambda's class has behind its name. */
  private static String simple(Class<?> type) {
    String name = type.getName();
    int lambda = name.indexOf("$$Lambda");
    String plain = lambda < 0 ? name : name.substring(0, lambda);
    return plain.substring(plain.lastIndexOf('.') + 1);
  }
}
