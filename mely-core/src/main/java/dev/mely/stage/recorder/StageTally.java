package dev.mely.stage.recorder;

import dev.mely.stage.StageGraph;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What one core knows of a stage. The core counts; others read while it does, so that new entries
 * go into concurrent maps. {@link StageGraph#OUTSIDE} has one too, for what no stage registers.
 */
final class StageTally {
  final String name;
  final List<Class<?>> parts;
  final Count runs = new Count();
  final Count nanos = new Count();
  volatile int penalty = 1;

  /** How often it has registered which stage. */
  final Map<String, Count> successors = new ConcurrentHashMap<>();

  final Map<String, ObjectTally> allocated = new ConcurrentHashMap<>();
  final Map<String, ObjectTally> freed = new ConcurrentHashMap<>();

  StageTally(String name, List<Class<?>> parts) {
    this.name = name;
    this.parts = List.copyOf(parts);
  }

  void registers(String stage) {
    Count count = successors.get(stage);
    if (count == null) {
      count = new Count();
      successors.put(stage, count);
    }
    count.add(1);
  }

  void ran(long took, int newPenalty) {
    runs.add(1);
    nanos.add(took);
    if (penalty != newPenalty) {
      penalty = newPenalty;
    }
  }

  /**
   * @param held how many the task has now; 0: unknown
   */
  void allocates(String object, long bytes, int held) {
    note(allocated, object, bytes).mostHeld.raiseTo(held);
  }

  void frees(String object, long bytes) {
    note(freed, object, bytes);
    ObjectTally own = allocated.get(object);
    if (own != null) {
      own.returned(runs.get());
    }
  }

  private ObjectTally note(Map<String, ObjectTally> tallies, String object, long bytes) {
    ObjectTally tally = tallies.get(object);
    if (tally == null) {
      tally = new ObjectTally(object, tallies.size());
      tallies.put(object, tally);
    }
    tally.note(bytes, runs.get());
    return tally;
  }
}
