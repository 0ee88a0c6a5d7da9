package dev.mely;

import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/** Registers events through the steps of a registration; starts timers and cancels them. */
final class SimProducer implements SimActor {
  /** Inside a registration that has no steps of its own, but may have stops. */
  private static final int ASKING = 6;

  /** About to swap: the color was not idle. */
  private static final int SWAP = 7;

  private final Schedule world;
  private final Scheduler scheduler;
  private final int name;
  private int left;
  private int at;
  private SimEvent event;
  private boolean urgent;
  private @Nullable Object previous;
  private Core home;
  private long weight;

  SimProducer(Schedule world, int name, int events) {
    this.world = world;
    this.scheduler = world.scheduler;
    this.name = name;
    this.left = events;
    this.home = scheduler.core(0);
    this.event = world.newEvent();
  }

  /** Past the front door, and not done yet. */
  boolean isRegistering() {
    return at > 0;
  }

  @Override
  public boolean isReady() {
    return left > 0;
  }

  @Override
  public void step() {
    Color color = world.colors[event.color];
    switch (at) {
      case 0 -> start(color);
      case 1 -> {
        weight = scheduler.weigh(event);
        previous = null;
        if (color.enterIdle(event)) {
          world.number(event, name);
          world.log("producer %d: enters %d.%d", name, event.color, event.sequence);
          at = 3;
        } else {
          at = SWAP;
        }
      }
      case SWAP -> {
        previous = color.swap(event);
        world.number(event, name);
        world.log("producer %d: swaps %d.%d", name, event.color, event.sequence);
        at = 2;
      }
      case 2 -> {
        color.link(previous, event);
        world.log("producer %d: links %d.%d", name, event.color, event.sequence);
        at = 3;
      }
      case 3 -> {
        if (previous == null) {
          home = scheduler.prepare(color, weight);
          place(color);
          at = 4;
        } else {
          scheduler.gained(color, weight);
          at = 5;
        }
        world.log("producer %d: placed color %d", name, event.color);
      }
      case 4 -> {
        scheduler.announce(color, home, scheduler.policy.steals() ? color.weight() : 0);
        world.log("producer %d: announced color %d", name, event.color);
        at = 5;
      }
      default -> {
        scheduler.rejectIfClosed(color);
        next();
      }
    }
  }

  private void place(Color color) {
    if (urgent) {
      scheduler.placeUrgent(color, home);
    } else {
      scheduler.place(color, home);
    }
  }

  private void start(Color color) {
    if (scheduler.phase() != Scheduler.OPEN) {
      world.log("producer %d: refused", name);
      next();
      return;
    }
    if (world.asking && world.random.nextBoolean()) {
      ask();
      return;
    }
    switch (world.random.nextInt(10)) {
      case 0 -> startTimer();
      case 1 -> cancelTimer();
      default -> {
        event.attach(world.handler(event));
        urgent = world.random.nextInt(6) == 0;
        if (world.isStarved()) {
          post(color);
          return;
        }
        try {
          if (scheduler.overload != null) {
            scheduler.overload.admit(color, event);
          }
          at = 1;
        } catch (RejectedExecutionException e) {
          world.log("producer %d: no room in color %d", name, event.color);
          next();
        }
      }
    }
  }

  /** All steps in one: what fails in the middle is undone by those who call it. */
  private void post(Color color) {
    world.number(event, name);
    world.log("producer %d: registers %d.%d", name, event.color, event.sequence);
    try {
      if (urgent) {
        scheduler.postUrgent(color, event);
      } else {
        scheduler.post(color, event);
      }
    } catch (RejectedExecutionException | OutOfMemoryError e) {
      world.log("    refused: %s", e.getMessage());
      world.takeBack(event);
    }
    next();
  }

  /** In one step, unless steps have stops. */
  private void ask() {
    SimAsk ask = SimAsk.random(world);
    world.number(ask);
    world.log("producer %d: registers %s", name, ask);
    at = ASKING;
    try {
      world.granter.register(ask.permissions(), world.askHandler(), ask);
    } catch (RejectedExecutionException | OutOfMemoryError e) {
      world.log("    refused: %s", e.getMessage());
      world.takeBack(ask);
    }
    next();
  }

  private void startTimer() {
    boolean periodic = world.random.nextInt(3) == 0;
    long period = periodic ? (world.random.nextBoolean() ? 20_000 : -20_000) : 0;
    int times = periodic ? 1 + world.random.nextInt(4) : 1;
    SimTimer timer = new SimTimer(world, event.color, world.random.nextInt(200_000), period, times);
    if (timer.start()) {
      world.timers.add(timer);
      world.log("producer %d: starts a timer of color %d", name, event.color);
    }
    next();
  }

  private void cancelTimer() {
    if (!world.timers.isEmpty()) {
      world.timers.get(world.random.nextInt(world.timers.size())).cancel();
      world.log("producer %d: cancels a timer", name);
    }
    next();
  }

  private void next() {
    left--;
    at = 0;
    event = world.newEvent();
  }
}
