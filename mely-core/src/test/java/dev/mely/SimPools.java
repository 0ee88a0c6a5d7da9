package dev.mely;

import dev.mely.pool.Instance;
import dev.mely.pool.Pool;
import dev.mely.stage.Plan;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/**
 * Tiny pools, and the tasks of a {@link Schedule} that allocate from them: some in one order, some
 * in the other, so that they wait for each other in circles. As an actor, it frees from outside
 * what some tasks have left allocated.
 */
final class SimPools implements SimActor {
  private static final String ALL = "allocate all";
  private static final String FREE = "free";
  private static final String LEAVE = "leave";

  final Plan plan;

  private final Schedule world;
  private final SplittableRandom random;
  private final List<SimStage> allocating = new ArrayList<>();
  private final SimStage allocatingAll;
  private final SimStage freeing;
  private final SimStage leaving;
  private final Deque<Instance> left = new ArrayDeque<>();

  SimPools(Schedule world, long seed) {
    this.world = world;
    this.random = new SplittableRandom(seed + 7);
    int objects = 1 + random.nextInt(2);
    Map<String, Plan.Instances> planned = new LinkedHashMap<>();
    for (int o = 0; o < objects; o++) {
      String stage = "allocate " + o;
      Set<String> stages = Set.of(stage, ALL);
      planned.put(
          "object " + o, new Plan.Instances(1 + random.nextInt(2), 8, stages, Set.of(FREE)));
      allocating.add(new SimStage(world, this, stage, random.nextBoolean() ? 100 : 100_000, o));
    }
    allocatingAll = new SimStage(world, this, ALL, 100, IntStream.range(0, objects).toArray());
    plan = new Plan(planned);
    freeing = new SimStage(world, this, FREE, 100);
    leaving = new SimStage(world, this, LEAVE, 100);
  }

  /** Whether the schedule of a seed has pools: in some of them memory runs out now and then. */
  static boolean has(long seed) {
    return seed % 8 == 5 || seed % 16 == 2;
  }

  // ---- Tasks

  /** Whether the next event of a producer, or of a handler, begins a task. */
  boolean isTask() {
    return random.nextInt(4) != 0;
  }

  SimStage begin(SimEvent event) {
    SimTask task = newTask();
    event.task = task;
    return stage(task);
  }

  private SimTask newTask() {
    int objects = allocating.size();
    int first = random.nextInt(objects);
    return switch (random.nextInt(4)) {
      case 0 -> new SimTask(allocating.get(first));
      case 1 -> new SimTask(allocatingAll);
      default -> new SimTask(allocating.get(first), allocating.get((first + 1) % objects));
    };
  }

  SimTask task(SimEvent event) {
    SimTask task = event.task;
    if (task == null) {
      throw new AssertionError("a stage runs an event without a task");
    }
    return task;
  }

  /** The task's next stage. */
  SimStage stage(SimTask task) {
    SimStage next = task.stages.poll();
    return next != null ? next : random.nextBoolean() ? freeing : leaving;
  }

  /** The pool of the core that runs. */
  Pool here() {
    Core core = world.scheduler.currentCore();
    if (core == null) {
      throw new AssertionError("a stage runs on no core");
    }
    return pool(core);
  }

  private static Pool pool(Core core) {
    Pool pool = core.queue.pool();
    if (pool == null) {
      throw new AssertionError("there is no pool");
    }
    return pool;
  }

  void finish(SimTask task, String stage) {
    if (stage.equals(LEAVE)) {
      left.addAll(task.held);
      task.held.clear();
    } else {
      free(task);
    }
  }

  void free(SimTask task) {
    task.held.forEach(Instance::free);
    task.held.clear();
  }

  // ---- Threads that free from outside

  @Override
  public boolean isReady() {
    return !left.isEmpty();
  }

  @Override
  public void step() {
    left.element().free();
    left.remove();
    world.log("outside: frees an instance");
  }

  // ---- What is checked

  /**
   * Nobody can go on: whether all that waits is in line, and there is no room for anybody. Not
   * {@link CoreQueue#lineMoves}: when a thief has taken the head of a line, the next one may lack
   * another object than that line is for, and goes to the other line when its core wakes up.
   */
  boolean explainsWaiting() {
    boolean any = false;
    for (int i = 0; i < world.scheduler.cores(); i++) {
      CoreQueue queue = world.scheduler.core(i).queue;
      if (!queue.isEmpty()) {
        return false;
      }
      for (Color color : world.colors) {
        if (color.isQueuedAt(i) && queue.couldRun(color)) {
          return false;
        }
      }
      any |= queue.holdsInLine();
    }
    return any;
  }

  String atEnd() {
    long live = 0;
    long fallbacks = 0;
    long regardless = 0;
    for (int i = 0; i < world.scheduler.cores(); i++) {
      Core core = world.scheduler.core(i);
      live += pool(core).liveBytes();
      fallbacks += pool(core).statistics().fallbacks();
      regardless += core.counters.regardless;
    }
    if (live != 0) {
      return live + " bytes of the pools have not come back";
    }
    boolean open = world.scheduler.phase() == Scheduler.OPEN && regardless < GatedQueue.TRIES;
    // Without memory to find out what an event needs it is not put in line.
    long unknown = world.isStarved() ? 1 : 0;
    return open && fallbacks > 2 * (regardless + unknown)
        ? fallbacks + " ran into an empty pool, and " + regardless + " had waited too long"
        : "";
  }
}
