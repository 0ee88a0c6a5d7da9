package dev.mely;

import dev.mely.pool.Instance;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/** A task of a {@link Schedule} with pools: allocates stage by stage, and frees all in the end. */
final class SimTask {
  /** Those that are still to come, except for the last. */
  final Deque<SimStage> stages;

  /** In use; what it had to take from elsewhere is not among them. */
  final List<Instance> held = new ArrayList<>();

  SimTask(SimStage... stages) {
    this.stages = new ArrayDeque<>(List.of(stages));
  }
}
