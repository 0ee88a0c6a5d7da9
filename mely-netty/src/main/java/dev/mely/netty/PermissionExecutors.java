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
 * Hands out executors for handlers with some permissions: a new one each time. A pipeline asks once
 * and gives all its handlers of this group the same, so that there is one for each channel.
 *
 * <p>Executors are not remembered, but by whoever uses them: they go with their channel. The life
 * of the group is that of the event loop group. Thread-safe.
 */
final class PermissionExecutors extends AbstractEventExecutorGroup {
  private final Cores cores;
  private final Permissions asked;
  private final Siblings siblings = new Siblings();

  /** Guarded by this: what its tasks cost is where the next one begins. */
  private @Nullable PermissionExecutor latest;

  PermissionExecutors(Cores cores, Permissions asked) {
    this.cores = cores;
    this.asked = asked;
  }

  @Override
  public synchronized EventExecutor next() {
    if (latest != null) {
      siblings.note(latest.taskHandler().costNanos());
    }
    Engine engine = cores.engine();
    PermissionExecutor executor =
        new PermissionExecutor(
            engine,
            cores.poller(0),
            cores.transport(),
            engine.mely().newColor(),
            asked,
            siblings.estimate());
    latest = executor;
    return executor;
  }

  /** Empty: nobody knows them all. */
  @Override
  public Iterator<EventExecutor> iterator() {
    return Collections.emptyIterator();
  }

  // ---- Life cycle: that of the event loop group

  private EventLoopGroup group() {
    return cores.engine().group();
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
