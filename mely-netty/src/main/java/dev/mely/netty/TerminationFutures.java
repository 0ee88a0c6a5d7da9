package dev.mely.netty;

import io.netty.util.concurrent.BlockingOperationException;
import io.netty.util.concurrent.DefaultPromise;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.ImmediateEventExecutor;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/**
 * The termination futures of event loops that were made for one channel. A library that keeps
 * something for an event loop, as Netty's {@code AddressResolverGroup} does, drops it when this
 * future completes; so it is completed when the loop's last channel has left, not only with the
 * group. The loop itself does not terminate: it serves other channels, for which there is another
 * future.
 *
 * <p>Thread-safe.
 */
final class TerminationFutures {
  /** One for each loop that was asked for its future. */
  private final ConcurrentMap<EventExecutor, Termination> futures = new ConcurrentHashMap<>();

  private volatile boolean over;

  /** The future of a loop. */
  Future<?> of(EventExecutor loop) {
    Termination requested = futures.computeIfAbsent(loop, Termination::new);
    if (over) {
      complete(loop); // completeAll sees this entry, or this thread sees over
    }
    return requested;
  }

  /** Whether the loop's future was asked for, by a library that keeps something for the loop. */
  boolean isRequested(EventExecutor loop) {
    return !futures.isEmpty() && futures.containsKey(loop);
  }

  /** Completes the loop's future, if it was asked for. Listeners run at once. */
  void complete(EventExecutor loop) {
    Termination requested = futures.remove(loop);
    if (requested != null) {
      requested.trySuccess(null);
    }
  }

  /** Completes all futures, also those that are asked for later. */
  void completeAll() {
    over = true;
    futures.keySet().forEach(this::complete);
  }

  /** How many were asked for. */
  int size() {
    return futures.size();
  }

  /**
   * Listeners run on the thread that completes it, so that what they close is not given to the
   * loop's next channel. That executor alone would forbid every wait for the future; only the loop
   * must not wait.
   */
  private static final class Termination extends DefaultPromise<@Nullable Void> {
    private final EventExecutor loop;

    Termination(EventExecutor loop) {
      super(ImmediateEventExecutor.INSTANCE);
      this.loop = loop;
    }

    @Override
    protected void checkDeadLock() {
      if (loop.inEventLoop()) {
        throw new BlockingOperationException(toString());
      }
    }
  }
}
