package dev.mely;

/** The take-over, by means of the scheduler and the timers. */
final class WorkerTakeOver implements TakeOver {
  private final Scheduler scheduler;
  private final Timers timers;
  private final Core self;

  /**
   * @param self the core of the thief
   */
  WorkerTakeOver(Scheduler scheduler, Timers timers, Core self) {
    this.scheduler = scheduler;
    this.timers = timers;
    this.self = self;
  }

  @Override
  public void fireTimers(Core at, long due) {
    timers.fire(at, due, self);
  }

  @Override
  public void takeOver(Core stuck) {
    timers.fire(stuck, scheduler.host.nanos(), self);
    scheduler.disband(stuck);
    if (stuck.poller.isTransferable()) {
      stuck.poll(0, self.counters);
    }
  }
}
