package dev.mely;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** A real worker, one step at a time; now and then it freezes inside a color. */
final class SimWorker implements SimActor {
  private static final String[] STATES = {
    "pick", "run", "finish", "poll", "search", "publish", "recheck", "park", "wake", "exit"
  };
  private final Schedule world;
  private final VirtualWorker worker;
  private final Core core;
  private long frozenUntil;

  /** By color: how often this core has begun another color while it waited here. */
  private final int[] passedOver;

  private final int patience;

  SimWorker(Schedule world, Core core) {
    this.world = world;
    this.core = core;
    this.worker = new VirtualWorker(world.host, world.scheduler, world.runtimeTimers, core);
    this.passedOver = new int[world.colors.length];
    boolean cheapest = world.scheduler.settings.cheapestFirst;
    // A color may lie in a lane more than once: an entry survives a steal, and takes a turn.
    this.patience = 2 * passedOver.length * Turns.max(cheapest);
  }

  @Nullable Color held() {
    return worker.held();
  }

  /** What is held for the event that runs. */
  Ticket[] tickets() {
    return core.batch.after() instanceof Grant grant ? grant.tickets() : new Ticket[0];
  }

  boolean hasLeft() {
    return worker.hasLeft();
  }

  boolean isFrozen() {
    return frozenUntil > world.host.nanos();
  }

  boolean isAsleep() {
    return worker.isAsleep();
  }

  /** When it goes on by itself. */
  long alarm() {
    return isFrozen() && !hasLeft() ? frozenUntil : worker.alarm();
  }

  @Override
  public boolean isReady() {
    return !isFrozen() && worker.isReady();
  }

  @Override
  public void step() {
    int before = worker.state();
    // A search allocates nothing while it has an entry in hand: its steps end as they should.
    if (before != WorkerState.SEARCH && world.host.fails()) {
      world.log("core %d: %s fails", core.index, STATES[before]);
      worker.fail(SimHost.FAULT);
    } else {
      try {
        worker.step();
      } catch (OutOfMemoryError e) {
        world.log("core %d: %s", core.index, e.getMessage());
        worker.fail(e);
      }
    }
    int after = worker.state();
    world.log("core %d: %s -> %s", core.index, STATES[before], STATES[after]);
    if (after == WorkerState.RUN && before != WorkerState.RUN && !world.hasStops()) {
      countTurns();
    }
    if (after == WorkerState.RUN && world.random.nextInt(world.eager ? 500 : 24) == 0) {
      frozenUntil = world.host.nanos() + 20_000_000;
      world.log("core %d: freezes", core.index);
    }
  }

  private void countTurns() {
    for (int i = 0; i < passedOver.length; i++) {
      // Who is in line for the pool is passed over for as long as that takes.
      boolean mayRun = !core.queue.hasLine();
      boolean waits = mayRun && world.colors[i].isQueuedAt(core.index);
      passedOver[i] = waits ? passedOver[i] + 1 : 0;
      if (passedOver[i] > patience) {
        world.fail("starved: color " + i + ", passed over " + Arrays.toString(passedOver));
      }
    }
  }

  /** The closer closes this core's timers and wakes it up. */
  void closeTimers() {
    core.timers.close();
  }

  void wakeUp() {
    core.wakeUp();
  }
}
