package dev.mely;

import org.jspecify.annotations.Nullable;

/** A real worker on a {@link VirtualHost}: its driver makes its steps, one at a time. */
final class VirtualWorker {
  final Core core;
  final Worker worker;
  private final VirtualHost host;
  private final VirtualPoller poller;

  VirtualWorker(VirtualHost host, Scheduler scheduler, Timers timers, Core core) {
    this.host = host;
    this.core = core;
    this.worker = new Worker(scheduler, timers, core);
    this.poller = host.poller(core.index);
  }

  /** The state that the next step begins in. */
  int state() {
    return worker.state();
  }

  boolean hasLeft() {
    return worker.state() == WorkerState.EXIT;
  }

  /** The color that it holds. */
  @Nullable Color held() {
    return core.batch.color();
  }

  /** Whether it sleeps and nobody has called it. */
  boolean isAsleep() {
    return worker.state() == WorkerState.WAKE && core.isParked();
  }

  /** Whether it could make a step now. */
  boolean isReady() {
    return !hasLeft() && (worker.state() != WorkerState.WAKE || !poller.isAsleep());
  }

  /** When it goes on by itself; {@link Long#MAX_VALUE}: never. */
  long alarm() {
    return hasLeft() ? Long.MAX_VALUE : poller.until();
  }

  void step() {
    begin();
    worker.step();
    host.leave();
  }

  /** Makes a step that ends before it has done anything: memory has run out. */
  void fail(Throwable why) {
    begin();
    worker.recover(why);
    host.leave();
  }

  private void begin() {
    if (worker.state() == WorkerState.WAKE) {
      poller.awake();
    }
    host.enter(core.index);
  }
}
