package dev.mely;

import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;

/** Runs the events of a {@link Schedule}: registers further ones, and throws now and then. */
final class SimHandler extends Handler<SimEvent> {
  /** Made once: what walks the stack takes a sixth of a schedule's time. */
  static final RuntimeException EXCEPTION = new IllegalStateException("a handler that throws");

  private static final Error ERROR = new StackOverflowError("a handler that overflows");

  private final Schedule world;
  private final long nanos;
  private final boolean droppable;

  /**
   * @param nanos declared cost; 0: to be measured
   */
  SimHandler(Schedule world, long nanos, boolean droppable) {
    super(nanos == 0 ? Work.MEASURED : Work.MEASURED.cost(Duration.ofNanos(nanos)).penalty(1));
    this.world = world;
    this.nanos = nanos;
    this.droppable = droppable;
  }

  @Override
  public void handle(SimEvent event) {
    world.log("    runs event %d.%d", event.color, event.sequence);
    int color = event.color;
    world.enter(color);
    world.checkOrder(event);
    int place = event.place; // it may be registered again
    world.checkPlace(color, place);
    world.ran++;
    world.host.advance(nanos);
    boolean forks = false;
    try {
      forks = act(event, world.sourceOf(color));
    } finally {
      if (!forks) {
        world.leave(color);
        world.leaveLine(color, place);
      }
    }
    if (forks) {
      world.askHandler().fork(SimAsk.of(world, color, place));
    }
  }

  /** Returns whether the event forks. */
  private boolean act(SimEvent event, int source) {
    int chance = world.random.nextInt(8);
    if ((chance < 3 || world.eager) && world.budget > 0) {
      world.budget--;
      register(chance == 0 || world.stays() ? event : world.newEvent(), source);
    } else if (chance == 3) {
      throw EXCEPTION;
    } else if (chance == 4) {
      throw ERROR;
    } else if (chance == 5 && world.asking && world.budget > 0) {
      return true;
    }
    return false;
  }

  private void register(SimEvent child, int source) {
    world.number(child, source);
    world.log("    registers event %d.%d", child.color, child.sequence);
    child.attach(world.handler(child));
    try {
      if (world.random.nextInt(4) == 0) {
        world.scheduler.postUrgent(world.colors[child.color], child);
      } else {
        world.scheduler.post(world.colors[child.color], child);
      }
    } catch (RejectedExecutionException | OutOfMemoryError e) {
      world.log("    refused: %s", e.getMessage());
      world.takeBack(child);
    }
  }

  @Override
  protected void rejected(SimEvent event) {
    world.log("    rejects event %d.%d", event.color, event.sequence);
    world.checkOrder(event);
    world.leaveLine(event.color, event.place);
    world.rejected++;
  }

  @Override
  protected boolean isDroppable() {
    return droppable;
  }
}
