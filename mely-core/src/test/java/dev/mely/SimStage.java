package dev.mely;

import dev.mely.pool.Instance;
import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;

/** One step of a {@link SimTask}: allocates an object, or is the last. */
final class SimStage extends Handler<SimEvent> {
  private final Schedule world;
  private final SimPools pools;
  private final String name;
  private final int[] objects;

  /**
   * @param objects what it allocates; none: it is the last of its task
   */
  SimStage(Schedule world, SimPools pools, String name, long nanos, int... objects) {
    super(Work.MEASURED.cost(Duration.ofNanos(nanos)).penalty(1));
    this.world = world;
    this.pools = pools;
    this.name = name;
    this.objects = objects.clone();
  }

  @Override
  public String stage() {
    return name;
  }

  @Override
  public void handle(SimEvent event) {
    world.log("    runs %s, event %d.%d", name, event.color, event.sequence);
    world.enter(event.color);
    world.checkOrder(event);
    world.checkPlace(event.color, event.place);
    world.ran++;
    SimTask task = pools.task(event);
    if (objects.length > 0) {
      try {
        allocate(task);
        register(event, task);
      } catch (OutOfMemoryError e) {
        pools.free(task);
      }
    } else {
      pools.finish(task, name);
    }
    world.leave(event.color);
    world.leaveLine(event.color, event.place);
  }

  private void allocate(SimTask task) {
    for (int object : objects) {
      Instance instance = pools.here().take(object);
      if (instance != null) {
        task.held.add(instance);
      }
    }
  }

  private void register(SimEvent event, SimTask task) {
    SimEvent next = world.newEvent();
    next.task = task;
    world.number(next, world.sourceOf(event.color));
    next.attach(pools.stage(task));
    try {
      world.scheduler.post(world.colors[next.color], next);
    } catch (RejectedExecutionException | OutOfMemoryError e) {
      world.log("    refused: %s", e.getMessage());
      world.takeBack(next);
      pools.free(task);
    }
  }

  @Override
  protected void rejected(SimEvent event) {
    world.log("    rejects %s, event %d.%d", name, event.color, event.sequence);
    world.checkOrder(event);
    world.leaveLine(event.color, event.place);
    world.rejected++;
    pools.free(pools.task(event));
  }
}
