package dev.mely.nio;

import dev.mely.Color;
import dev.mely.Handler;
import dev.mely.Mely;
import java.io.Closeable;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * An operation, and the event that tells of its end.
 *
 * <pre>
 *   RUNNING --complete, fail--> ENDED --the handler is called--> DELIVERED
 *      |                          |
 *      +---------cancel-----------+--------> CANCELLED
 * </pre>
 *
 * <p>The result is written by the one thread that ends the operation, before it leaves RUNNING.
 *
 * @param <T> the result
 */
@SuppressWarnings("UnusedVariable") // state is touched through its VarHandle alone
class OperationEvent<T> extends IoEvent implements Operation<T> {
  private static final int RUNNING = 0;
  private static final int ENDED = 1;
  private static final int DELIVERED = 2;
  private static final int CANCELLED = 3;

  private static final VarHandle STATE;

  static {
    try {
      STATE = MethodHandles.lookup().findVarHandle(OperationEvent.class, "state", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final Mely mely;
  private final Color color;
  private final Handler<? super Operation<T>> user;
  private int state;

  /** Null if the operation has failed, or has a call's null for its result. */
  @SuppressWarnings("NullAway.Init")
  private Object result;

  private @Nullable Throwable failure;

  OperationEvent(Mely mely, Color color, Handler<? super Operation<T>> user) {
    this.mely = mely;
    this.color = color;
    this.user = user;
  }

  /** Cancelled while it was running: nobody waits for it. Any thread. */
  void abort() {}

  // ---- Whoever does the work, one of these, once

  final void complete(T value) {
    result = value;
    end();
  }

  final void fail(Throwable why) {
    failure = why;
    end();
  }

  private void end() {
    if (!STATE.compareAndSet(this, RUNNING, ENDED)) {
      discard(); // cancelled in the meantime
      return;
    }
    IoHandler handler = new IoHandler(user);
    try {
      mely.register(color, handler, this);
    } catch (RejectedExecutionException e) {
      deliverAnyway(handler);
    }
  }

  /** As many events are pending as may be, but what was begun must end: timers find room. */
  private void deliverAnyway(IoHandler handler) {
    try {
      mely.schedule(color, handler, this, Duration.ZERO);
    } catch (RejectedExecutionException e) {
      rejected(); // the runtime is shutting down
    }
  }

  // ---- Color

  @Override
  final void run() throws Exception {
    if (STATE.compareAndSet(this, ENDED, DELIVERED)) {
      user.handle(this);
    }
  }

  // ---- Any thread

  @Override
  final void rejected() {
    if (STATE.compareAndSet(this, ENDED, CANCELLED)) {
      discard();
    }
  }

  @Override
  public final boolean cancel() {
    if (STATE.compareAndSet(this, RUNNING, CANCELLED)) {
      abort();
      return true;
    }
    if (STATE.compareAndSet(this, ENDED, CANCELLED)) {
      discard();
      return true;
    }
    return false;
  }

  /** Nobody will see the result. */
  private void discard() {
    if (result instanceof Closeable resource) {
      try {
        resource.close();
      } catch (IOException e) {
        // Nobody to tell.
      }
    }
    abort();
  }

  final boolean isCancelled() {
    return (int) STATE.getVolatile(this) == CANCELLED;
  }

  @Override
  public final boolean isDone() {
    return (int) STATE.getVolatile(this) != RUNNING;
  }

  @Override
  @SuppressWarnings("unchecked")
  public final T get() throws IOException {
    int now = (int) STATE.getVolatile(this);
    if (now == CANCELLED) {
      throw new CancellationException("the operation was cancelled");
    }
    if (now == RUNNING) {
      throw new IllegalStateException("the operation has not ended");
    }
    Throwable why = failure;
    if (why == null) {
      return (T) result;
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
