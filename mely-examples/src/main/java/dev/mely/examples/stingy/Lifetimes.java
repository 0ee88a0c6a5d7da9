package dev.mely.examples.stingy;

import dev.mely.stage.StageGraph;
import dev.mely.stage.StageGraph.Allocation;
import dev.mely.stage.StageGraph.Edge;
import dev.mely.stage.StageGraph.Site;
import dev.mely.stage.StageGraph.Stage;
import java.util.BitSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
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
  private final List<Stage> stages;
  private final List<Allocation> objects;
  private final Map<String, Integer> index = new HashMap<>();
  private final BitSet[] successors;
  private final BitSet[] dominators;

  /** Of each stage the objects that are live at its beginning. */
  private final BitSet[] live;

  /** Why an object is left out, by its name. */
  private final Map<String, String> leftOut = new LinkedHashMap<>();

  Lifetimes(StageGraph graph) {
    stages = graph.stages();
    objects = graph.allocations();
    for (Stage stage : stages) {
      index.put(stage.name(), index.size());
    }
    successors = sets();
    BitSet entries = new BitSet();
    entries.set(0, stages.size());
    for (Edge edge : graph.edges()) {
      if (!edge.from().equals(StageGraph.OUTSIDE)) {
        successors[at(edge.from())].set(at(edge.to()));
        if (!edge.from().equals(edge.to())) {
          entries.clear(at(edge.to()));
        }
      }
    }
    for (Edge edge : graph.edges()) {
      if (edge.from().equals(StageGraph.OUTSIDE)) {
        entries.set(at(edge.to()));
      }
    }
    dominators = dominators(entries);
    live = liveness();
    objects.forEach(this::judge);
  }

  private BitSet[] sets() {
    BitSet[] sets = new BitSet[stages.size()];
    for (int i = 0; i < sets.length; i++) {
      sets[i] = new BitSet();
    }
    return sets;
  }

  private int at(String stage) {
    return Objects.requireNonNull(index.get(stage), stage);
  }

  // ---- Data flow

  /** The least fixed point: what is allocated on a way to the stage, and not freed on it. */
  private BitSet[] liveness() {
    BitSet[] in = sets();
    for (boolean changed = true; changed; ) {
      changed = false;
      for (int s = 0; s < stages.size(); s++) {
        BitSet out = out(in[s], s);
        for (int t = successors[s].nextSetBit(0); t >= 0; t = successors[s].nextSetBit(t + 1)) {
          int before = in[t].cardinality();
          in[t].or(out);
          changed |= in[t].cardinality() > before;
        }
      }
    }
    return in;
  }

  private BitSet out(BitSet in, int stage) {
    BitSet out = (BitSet) in.clone();
    String name = stages.get(stage).name();
    for (int o = 0; o < objects.size(); o++) {
      if (site(objects.get(o).freedBy(), name) != null) {
        out.clear(o);
      } else if (site(objects.get(o).allocatedBy(), name) != null) {
        out.set(o);
      }
    }
    return out;
  }

  /**
   * The greatest fixed point: a stage dominates itself and whatever all ways to it have in common.
   */
  private BitSet[] dominators(BitSet entries) {
    BitSet[] all = sets();
    for (int s = 0; s < all.length; s++) {
      all[s].set(0, all.length);
    }
    for (boolean changed = true; changed; ) {
      changed = false;
      for (int s = 0; s < all.length; s++) {
        BitSet common = new BitSet();
        if (!entries.get(s)) {
          common.set(0, all.length);
          for (int p = 0; p < all.length; p++) {
            if (successors[p].get(s)) {
              common.and(all[p]);
            }
          }
        }
        common.set(s);
        changed |= !common.equals(all[s]);
        all[s] = common;
      }
    }
    return all;
  }

  private boolean isInCycle(int stage) {
    BitSet reached = (BitSet) successors[stage].clone();
    for (int before = -1; before < reached.cardinality(); ) {
      before = reached.cardinality();
      for (int s = reached.nextSetBit(0); s >= 0; s = reached.nextSetBit(s + 1)) {
        reached.or(successors[s]);
      }
    }
    return reached.get(stage);
  }

  private static @Nullable Site site(List<Site> sites, String stage) {
    return sites.stream().filter(s -> s.stage().equals(stage)).findFirst().orElse(null);
  }

  // ---- Judgment

  private void judge(Allocation object) {
    int o = objects.indexOf(object);
    if (object.allocatedBy().isEmpty()) {
      leftOut.put(object.name(), "no stage allocates it");
    } else if (object.bytes() == 0) {
      leftOut.put(object.name(), "its size is unknown");
    } else if (object.freedBy().isEmpty()) {
      leftOut.put(object.name(), "no stage frees it: it is global");
    } else {
      for (int s = 0; s < stages.size(); s++) {
        String stage = stages.get(s).name();
        BitSet others = (BitSet) successors[s].clone();
        others.clear(s);
        if (others.isEmpty() && out(live[s], s).get(o)) {
          leftOut.putIfAbsent(
              object.name(), "it is live where a task ends, in '" + stage + "': it is global");
        }
        boolean allocates = site(object.allocatedBy(), stage) != null;
        if (allocates && !object.countKnown() && isInCycle(s)) {
          leftOut.putIfAbsent(
              object.name(),
              "'"
                  + stage
                  + "', which allocates it, is in a cycle: declare a number, or say --count "
                  + object.name()
                  + "=N");
        }
      }
    }
  }

  /** Why objects are left out, by their names. */
  Map<String, String> leftOut() {
    return leftOut;
  }

  /** The objects that are not left out. */
  List<Allocation> managed() {
    return objects.stream().filter(object -> !leftOut.containsKey(object.name())).toList();
  }

  /** Whether an object may be live at the beginning of a stage. */
  boolean isLive(Allocation object, Stage stage) {
    return live[at(stage.name())].get(objects.indexOf(object));
  }

  /** Whether a stage allocates an object. */
  static boolean allocates(Stage stage, Allocation object) {
    return site(object.allocatedBy(), stage.name()) != null;
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
    return dominators[at(other.stage())].get(at(site.stage()));
  }
}
