package dev.mely;

import java.time.Duration;
import java.util.List;

/**
 * Runs events of a {@link Schedule} that ask for more than one color: forks, throws now and then.
 */
final class SimAskHandler extends Handler<SimAsk> {
  private final Schedule world;
  private final long nanos;

  SimAskHandler(Schedule world, long nanos) {
    super(nanos == 0 ? Work.MEASURED : Work.MEASURED.cost(Duration.ofNanos(nanos)).penalty(1));
    this.world = world;
    this.nanos = nanos;
  }

  @Override
  public void handle(SimAsk ask) {
    world.log("    runs %s", ask);
    ask.enter();
    world.ran++;
    world.host.advance(nanos);
    goOn(ask);
  }

  /** Forks, or is over; throws perhaps in either case. */
  private void goOn(SimAsk ask) {
    boolean throwing = world.random.nextInt(6) == 0;
    if (world.random.nextInt(3) == 0 && world.budget > 0) {
      fork(ask);
    } else {
      ask.leave();
    }
    if (throwing) {
      throw SimHandler.EXCEPTION;
    }
  }

  /** The event that runs has children, and a continuation; it is over if memory runs out. */
  void fork(SimAsk ask) {
    int before = world.accepted;
    try {
      begin(ask);
    } catch (OutOfMemoryError e) {
      world.log("    no fork: %s", e.getMessage());
      world.accepted = before;
      ask.forgetChildren();
      ask.leave();
    }
  }

  private void begin(SimAsk ask) {
    Fork fork = Fork.of(world.granter, world.scheduler.currentCore());
    if (world.random.nextInt(4) == 0) {
      fork.cancelOnFailure();
    }
    int n = world.random.nextInt(4);
    world.budget -= n + 1;
    world.accepted += n + 1;
    for (int i = 0; i < n; i++) {
      SimAsk child = ask.child();
      world.log("    forks %s", child);
      fork.child(child.permissions(), this, child);
    }
    fork.then(new Continuation(ask));
  }

  @Override
  protected void rejected(SimAsk ask) {
    world.log("    rejects %s", ask);
    world.rejected++;
    ask.end();
  }

  /** When all children of an event have ended. */
  private final class Continuation extends Handler<List<Throwable>> {
    private final SimAsk ask;

    Continuation(SimAsk ask) {
      super(Work.MEASURED);
      this.ask = ask;
    }

    @Override
    public void handle(List<Throwable> failures) {
      world.log("    goes on with %s", ask);
      world.ran++;
      ask.checkChildren();
      goOn(ask);
    }

    @Override
    protected void rejected(List<Throwable> failures) {
      world.log("    rejects what follows %s", ask);
      world.rejected++;
      ask.checkChildren();
      ask.leave();
    }
  }
}
