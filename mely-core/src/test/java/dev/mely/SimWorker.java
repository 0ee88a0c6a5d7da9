package dev.mely;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** A real worker, one step at a time; now and then it freezes inside a color. */
final class SimWorker implements SimActor {
  private static final String[] STATES = {
    "pick", "run", "finish", "poll", "search", "publish", "recheck", "park", "wake", "exit"
  };
  private final Schedule world;
  private final Worker worker;
  private final Core core;
  private final SimHost.SimPoller poller;
  private long frozenUntil;

  /** By color: how often this core has begun another color while it waited here. */
  private final int[] passedOver;

  private final int patience;

  SimWorker(Schedule world, Core core) {
    this.world = world;
    this.core = core;
    this.worker = core.worker();
    this.poller = world.host.poller(core.index);
    this.passedOver = new int[world.colors.length];
    boolean cheapest = world.scheduler.settings.order() == Mely.Order.CHEAPEST_FIRST;
    // A color may lie in a lane more than once: an entry survives a steal, and takes a turn.
    this.patience = 2 * passedOver.length * new TurnOrder(cheapest).maxTurns();
  }

  @Nullable Color held() {
    return worker.held();
  }

  boolean hasLeft() {
    return worker.state() == Worker.EXIT;
  }

  boolean isFrozen() {
    return frozenUntil > world.host.nanos();
  }

  boolean isAsleep() {
    return worker.state() == Worker.WAKE && core.isParked();
  }

  /** When it goes on by itself. */
  long alarm() {
    if (hasLeft()) {
      return Long.MAX_VALUE;
    }
    return isFrozen() ? frozenUntil : poller.until();
  }

  @Override
  public boolean isReady() {
    if (hasLeft() || isFrozen()) {
      return false;
    }
    return worker.state() != Worker.WAKE || !poller.isAsleep();
  }

  @Override
  public void step() {
    int before = worker.state();
    if (before == Worker.WAKE) {
      poller.awake();
    }
    world.host.enter(core.index);
    int after = worker.step();
    world.host.leave();
    world.log("core %d: %s -> %s", core.index, STATES[before], STATES[after]);
    if (after == Worker.RUN && before != Worker.RUN) {
      countTurns();
    }
    if (after == Worker.RUN && world.random.nextInt(world.eager ? 500 : 24) == 0) {
      frozenUntil = world.host.nanos() + 20_000_000;
      world.log("core %d: freezes", core.index);
    }
  }

  private void countTurns() {
    for (int i = 0; i < passedOver.length; i++) {
      boolean waits = world.colors[i].isQueuedAt(core.index);
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
    poller.wakeup();
  }
}
