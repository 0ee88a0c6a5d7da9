package dev.mely;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.pool.Instance;
import dev.mely.pool.Pool;
import dev.mely.pool.PoolStatistics;
import dev.mely.stage.Plan;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.Phaser;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * D2 and D3 on real threads: tasks that allocate from the pools of random plans, right and wrong
 * ones, hop from color to color, are stolen, throw, and have their memory freed on another core, or
 * by a thread that is none.
 *
 * <p>{@code -Dmely.soak.seconds=600} goes on for so long.
 */
@Timeout(1200)
class PooledTasksTest {
  private static final int ROUNDS = 8;
  private static final long SECONDS = Long.getLong("mely.soak.seconds", 0);

  @Test
  void allTasksEndAndAllInstancesComeBack() throws Exception {
    long end = System.nanoTime() + Duration.ofSeconds(SECONDS).toNanos();
    long tasks = 0;
    long regardless = 0;
    int round = 0;
    for (; round < ROUNDS || System.nanoTime() - end < 0; round++) {
      try (Round run = new Round(round)) {
        tasks += run.tasks;
        regardless += run.run();
      }
    }
    System.out.println(round + " plans, " + tasks + " tasks, " + regardless + " ran regardless");
  }

  /** One runtime with a plan of its own. */
  private static final class Round implements AutoCloseable {
    final int tasks;
    private final SplittableRandom random;
    private final int objects;
    private final int cores;
    private final Mely mely;
    private final Color[] colors;
    private final List<Stage> stages = new ArrayList<>();
    private final Stage last;
    private final Set<Pool> pools = ConcurrentHashMap.newKeySet();
    private final AtomicInteger faults = new AtomicInteger();
    private final Phaser left = new Phaser(1);
    private final LinkedTransferQueue<Task> outside = new LinkedTransferQueue<>();

    Round(int seed) {
      random = new SplittableRandom(seed);
      objects = 1 + random.nextInt(3);
      cores = 1 + random.nextInt(4);
      tasks = 20 + random.nextInt(80);
      Map<String, Plan.Instances> planned = new LinkedHashMap<>();
      for (int o = 0; o < objects; o++) {
        // The last stage may be unknown to the plan, or the first one wrongly said to free.
        Set<String> frees = random.nextInt(3) > 0 ? Set.of("last") : Set.of();
        Set<String> allocates =
            random.nextInt(8) == 0 ? Set.of("stage " + (o + 1) % objects) : Set.of("stage " + o);
        planned.put("object " + o, new Plan.Instances(1 + random.nextInt(8), 64, allocates, frees));
      }
      mely =
          Mely.builder()
              .cores(cores)
              .pinned(false)
              .plan(new Plan(planned))
              .batch(1 + random.nextInt(10))
              .errorHandler((color, event, error) -> note(error))
              .build();
      for (int o = 0; o < objects; o++) {
        stages.add(new Stage(this, "stage " + o, o));
      }
      last = new Stage(this, "last", -1);
      colors = new Color[1 + random.nextInt(tasks)];
      for (int i = 0; i < colors.length; i++) {
        colors[i] = mely.newColor(random.nextInt(cores));
      }
    }

    /** Returns how many have run regardless of the pool. */
    long run() throws InterruptedException {
      Threads threads = new Threads();
      threads.add(this::freeOutside).start();
      left.bulkRegister(tasks);
      for (int i = 0; i < tasks; i++) {
        new Task(this, new SplittableRandom(random.nextLong())).next();
      }
      left.arriveAndAwaitAdvance();
      outside.add(new Task(this, random)); // the end
      threads.join();
      long regardless = mely.inspect().statistics().total().ranRegardless();
      assertEquals(0, faults.get());
      for (Pool pool : pools) {
        PoolStatistics statistics = pool.statistics();
        assertEquals(0, statistics.liveBytes());
        assertEquals(statistics.taken(), statistics.returned());
        assertTrue(statistics.peakLiveBytes() <= pool.bytes());
      }
      assertTrue(mely.inspect().statistics().total().passedOver() >= regardless);
      assertEquals(tasks, left.getRegisteredParties() == 1 ? tasks : 0, "some are not over");
      return regardless;
    }

    private void freeOutside() {
      try {
        for (Task task = outside.take(); task.began; task = outside.take()) {
          task.end();
        }
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }

    private void note(Throwable error) {
      if (!(error instanceof Planted)) {
        error.printStackTrace();
        faults.incrementAndGet();
      }
    }

    @Override
    public void close() {
      assertTrue(mely.shutdown(Duration.ofMinutes(2)).drained());
    }
  }

  /** What some handlers throw. */
  private static final class Planted extends RuntimeException {
    private static final long serialVersionUID = 1;

    Planted() {
      super("planted", null, false, false);
    }
  }

  /** Allocates its objects in an order of its own, then ends. */
  private static final class Task {
    private final Round round;
    private final SplittableRandom random;
    private final int[] order;
    private int at;
    boolean began;
    private final List<Instance> held = new ArrayList<>();

    Task(Round round, SplittableRandom random) {
      this.round = round;
      this.random = random;
      int first = random.nextInt(round.objects);
      order = new int[1 + random.nextInt(round.objects)];
      for (int i = 0; i < order.length; i++) {
        order[i] = (first + i) % round.objects;
      }
    }

    void next() {
      began = true;
      Stage stage = at < order.length ? round.stages.get(order[at++]) : round.last;
      round.mely.register(round.colors[random.nextInt(round.colors.length)], stage, this);
    }

    void end() {
      held.forEach(Instance::free);
      held.clear();
      round.left.arriveAndDeregister();
    }
  }

  private static final class Stage extends Handler<Task> {
    private final Round round;
    private final String name;
    private final int object;

    Stage(Round round, String name, int object) {
      this.round = round;
      this.name = name;
      this.object = object;
    }

    @Override
    public String stage() {
      return name;
    }

    @Override
    public void handle(Task task) {
      Pool pool = round.mely.pool();
      if (pool == null) {
        throw new IllegalStateException("a worker has a pool");
      }
      round.pools.add(pool);
      if (object < 0) {
        finish(task);
        return;
      }
      @Nullable Instance instance = pool.take(object);
      if (instance != null) {
        task.held.add(instance);
      }
      if (task.random.nextInt(50) == 0) {
        task.end();
        throw new Planted();
      }
      task.next();
    }

    private void finish(Task task) {
      if (task.random.nextInt(3) == 0) {
        round.outside.add(task);
      } else {
        task.end();
      }
    }
  }
}
