package dev.mely.netty;

import dev.mely.Permissions;
import io.netty.channel.EventLoopGroup;
import io.netty.util.concurrent.AbstractEventExecutorGroup;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.Future;
import java.util.Collections;
import java.util.Iterator;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Makes executors for handlers with some permissions, a new one each time. A pipeline asks once and
 * gives the same to all its handlers of this group, so there is one for each channel.
 *
 * <p>The executors are not kept here and go with their channel. The life cycle is that of the event
 * loop group. Thread-safe.
 */
final class PermissionExecutors extends AbstractEventExecutorGroup {
  private final Cores cores;
  private final Permissions asked;
  private final CostPrior prior = new CostPrior();

  /** Guarded by this: the next one starts from what the tasks of this one cost. */
  private @Nullable PermissionExecutor latest;

  PermissionExecutors(Cores cores, Permissions asked) {
    this.cores = cores;
    this.asked = asked;
  }

  @Override
  public synchronized EventExecutor next() {
    if (latest != null) {
      prior.note(latest.taskHandler().costNanos());
    }
    GroupState groupState = cores.groupState();
    PermissionExecutor executor =
        new PermissionExecutor(
            groupState,
            cores.poller(0),
            cores.transport(),
            groupState.mely().newColor(),
            asked,
            prior.estimate());
    latest = executor;
    return executor;
  }

  /** Empty: the executors are not kept. */
  @Override
  public Iterator<EventExecutor> iterator() {
    return Collections.emptyIterator();
  }

  // ---- Life cycle: that of the event loop group

  private EventLoopGroup group() {
    return cores.groupState().group();
  }

  @Override
  public Future<?> shutdownGracefully(long quietPeriod, long timeout, TimeUnit unit) {
    return group().shutdownGracefully(quietPeriod, timeout, unit);
  }

  @Deprecated
  @Override
  public void shutdown() {
    group().shutdown();
  }

  @Override
  public Future<?> terminationFuture() {
    return group().terminationFuture();
  }

  @Override
  public boolean isShuttingDown() {
    return group().isShuttingDown();
  }

  @Override
  public boolean isShutdown() {
    return group().isShutdown();
  }

  @Override
  public boolean isTerminated() {
    return group().isTerminated();
  }

  @Override
  public boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
    return group().awaitTermination(timeout, unit);
  }

  @Override
  public String toString() {
    return "PermissionExecutors(" + asked + ")";
  }
}
