package dev.mely;

/** Shuts the runtime down under everybody's feet, as {@link Shutdown} does. */
final class SimCloser implements SimActor {
  private final Schedule world;
  private final Quiescence quiet;
  private int delay;

  /** So many looks until the deadline. */
  private int patience;

  private int at;
  private boolean disturbed;

  SimCloser(Schedule world, int delay, int patience) {
    this.world = world;
    this.quiet = new Quiescence(world.scheduler);
    this.delay = delay;
    this.patience = patience;
  }

  @Override
  public boolean isReady() {
    return at < 3 || (at == 3 && world.workers.stream().allMatch(SimWorker::hasLeft));
  }

  @Override
  public void step() {
    if (delay-- > 0) {
      return;
    }
    switch (at) {
      case 0 -> {
        world.log("closer: drains");
        world.scheduler.setPhase(Scheduler.DRAINING);
        world.workers.forEach(SimWorker::closeTimers);
        at++;
      }
      case 1 -> drain();
      case 2 -> {
        world.workers.forEach(SimWorker::wakeUp);
        at++;
      }
      default -> {
        world.log("closer: sweeps");
        world.scheduler.sweep();
        at++;
      }
    }
  }

  /** One look at one core per step. */
  private void drain() {
    // One that was past the front door when it closed, and registers between two looks.
    disturbed |= world.producers.stream().anyMatch(SimProducer::isRegistering);
    disturbed |= world.isAnyPaused(); // what is pending there waits, and is rejected
    boolean found = quiet.look();
    if (found && !disturbed && world.ran + world.rejected != world.accepted) {
      world.fail("not quiet: an event is pending");
    }
    if (found || patience-- <= 0) {
      world.log("closer: closes");
      world.scheduler.setPhase(Scheduler.CLOSED);
      at++;
    }
    disturbed &= quiet.isUnderWay();
  }
}
