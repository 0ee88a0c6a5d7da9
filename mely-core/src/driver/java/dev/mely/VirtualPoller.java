package dev.mely;

import dev.mely.spi.Poller;

/** Remembers until when its worker sleeps. A wake-up is sticky. */
final class VirtualPoller implements Poller {
  private final VirtualHost host;
  private final int core;
  private boolean waiting;
  private boolean woken;
  private long until;
  private int failures;

  VirtualPoller(VirtualHost host, int core) {
    this.host = host;
    this.core = core;
  }

  @Override
  public void poll(long maxWaitNanos) {
    host.mayFail();
    if (maxWaitNanos > 0) {
      waiting = true;
      until = maxWaitNanos == Long.MAX_VALUE ? Long.MAX_VALUE : host.nanos() + maxWaitNanos;
    }
  }

  @Override
  public void wakeup() {
    if (failures++ < 2) { // not for good, or nobody could do anything about it
      host.mayFail();
    }
    failures = 0;
    woken = true;
    host.woken(core);
  }

  /** Whether the worker sleeps at this moment. */
  boolean isAsleep() {
    return waiting && !woken && host.nanos() < until;
  }

  /** When it will wake up by itself; {@link Long#MAX_VALUE}: never. */
  long until() {
    return until;
  }

  /** The worker goes on. */
  void awake() {
    waiting = false;
    woken = false;
  }
}
