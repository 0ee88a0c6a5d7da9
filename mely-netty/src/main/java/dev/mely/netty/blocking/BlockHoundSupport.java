package dev.mely.netty.blocking;

import reactor.blockhound.BlockHound;
import reactor.blockhound.integration.BlockHoundIntegration;

/**
 * Tells BlockHound, which finds this class by the service loader, that workers must not block,
 * except in these methods: an idle worker parks, also while a thief polls for it; a worker that
 * searches, or waits for what another thread is about to write, spins and yields; one that
 * registers a channel with a busy I/O handler waits for microseconds. User code runs inside none of
 * them.
 */
public final class BlockHoundSupport implements BlockHoundIntegration {
  /** Called by the service loader. */
  public BlockHoundSupport() {}

  @Override
  public void applyTo(BlockHound.Builder builder) {
    builder
        .nonBlockingThreadPredicate(other -> other.or(WorkerThreads::contains))
        .allowBlockingCallsInside("dev.mely.CoreQueue", "awaitConsumer")
        .allowBlockingCallsInside("dev.mely.Idler", "spin")
        .allowBlockingCallsInside("dev.mely.Worker", "awaitOther")
        .allowBlockingCallsInside("dev.mely.Rejection", "awaitLink")
        .allowBlockingCallsInside("dev.mely.Stripes", "lock")
        .allowBlockingCallsInside("dev.mely.Core", "closePoller")
        .allowBlockingCallsInside("dev.mely.SystemHost", "giveWay")
        .allowBlockingCallsInside("dev.mely.SystemHost", "pause")
        .allowBlockingCallsInside("dev.mely.SystemHost$ParkingPoller", "poll")
        .allowBlockingCallsInside("dev.mely.netty.StartLatch", "awaitStart")
        .allowBlockingCallsInside("dev.mely.netty.PollSection", "enter")
        .allowBlockingCallsInside("dev.mely.netty.PollSection", "await")
        .allowBlockingCallsInside("dev.mely.netty.IoPoller", "giveWay")
        .allowBlockingCallsInside("dev.mely.netty.IoPoller", "waitOutside");
  }
}
