package dev.mely.nio;

import dev.mely.Color;
import dev.mely.Handler;
import dev.mely.Mely;
import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * An operation under way. When it has ended it is posted to its color as the payload of an event,
 * as any object is. How it ends is decided by its {@link Outcome}.
 *
 * @param <T> the result
 */
class StartedOperation<T> implements Operation<T>, IoTask {
  /** How long an operation waits that has ended when memory had run out. */
  private static final Duration AGAIN = Duration.ofMillis(1);

  private final Mely mely;
  private final Color color;
  private final Handler<? super Operation<T>> user;

  /** Made with the operation: when it ends there may be no memory left. */
  private final IoHandler handler;

  private final Outcome<T> outcome = new Outcome<>();

  StartedOperation(Mely mely, Color color, Handler<? super Operation<T>> user) {
    this.mely = mely;
    this.color = color;
    this.user = user;
    this.handler = new IoHandler(user);
  }

  /** Its result is not wanted any more. Any thread, also while it is being started or is ending. */
  void abort() {}

  // ---- The thread that does the work. The first call counts

  final void complete(@Nullable T value) {
    if (outcome.end(value, null)) {
      post();
    } else {
      close(value);
    }
  }

  final void fail(Throwable why) {
    if (outcome.end(null, why)) {
      post();
    }
  }

  private void post() {
    try {
      mely.register(color, handler, this);
    } catch (Throwable t) {
      // As many events are pending as may be, but what was begun must end: timers find room. After
      // a lack of memory the event may be posted already: it is delivered once all the same.
      postAnyway(Duration.ZERO);
    }
  }

  private void postAnyway(Duration delay) {
    boolean posted = false;
    try {
      mely.schedule(color, handler, this, delay);
      posted = true;
    } catch (RejectedExecutionException e) {
      // The runtime is shutting down.
    } finally {
      if (!posted) {
        drop();
      }
    }
  }

  // ---- Color

  @Override
  public final void run() throws Exception {
    if (outcome.deliver()) {
      user.handle(this);
    }
  }

  // ---- Any thread

  /** At the end of the runtime; before, for lack of memory, and then it is tried again. */
  @Override
  public final void rejected() {
    if (mely.isShutdown()) {
      drop();
    } else {
      postAnyway(AGAIN);
    }
  }

  private void drop() {
    if (outcome.cancelEnded()) {
      discard();
    }
  }

  @Override
  public final boolean cancel() {
    if (outcome.cancelRunning()) {
      abort(); // the result, if there will be one, is discarded when it comes
      return true;
    }
    if (outcome.cancelEnded()) {
      discard();
      return true;
    }
    return false;
  }

  /** It has ended, and its result is not wanted. */
  private void discard() {
    close(outcome.result());
    abort();
  }

  private void close(@Nullable T result) {
    if (result instanceof Closeable resource) {
      try {
        resource.close();
      } catch (Throwable t) {
        String type = resource.getClass().getName(); // what it says itself may fail, too
        Log.warn("closing a result that nobody will see failed: " + type, t);
      }
    }
  }

  final Mely mely() {
    return mely;
  }

  final Color color() {
    return color;
  }

  final boolean isCancelled() {
    return outcome.isCancelled();
  }

  @Override
  public final boolean isDone() {
    return outcome.isDone();
  }

  @Override
  @SuppressWarnings("NullAway") // a call's result may be null, and its caller knows that
  public final T get() throws IOException {
    if (outcome.isCancelled()) {
      throw new CancellationException("the operation was cancelled");
    }
    if (!outcome.isDone()) {
      throw new IllegalStateException("the operation has not ended");
    }
    Throwable why = outcome.failure();
    if (why == null) {
      return outcome.result();
    }
    if (why instanceof IOException e) {
      throw e;
    }
    if (why instanceof RuntimeException e) {
      throw e;
    }
    if (why instanceof Error e) {
      throw e;
    }
    throw new IOException(why);
  }
}
