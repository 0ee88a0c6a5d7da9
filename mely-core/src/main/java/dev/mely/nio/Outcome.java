package dev.mely.nio;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * How an operation ends, once.
 *
 * <pre>
 *   RUNNING --end--> ENDING --end--> ENDED --deliver--> DELIVERED
 *      |               |               |
 *      +-----------cancel, drop--------+--------> CANCELLED
 * </pre>
 *
 * <p>Several threads may try to end it: a connection comes about while its channel is closed. The
 * one that takes it to ENDING has the result to itself until it leaves that state, and a thread
 * that finds it in a later state sees the result whole. A result that is not the outcome, or that
 * is not wanted any more, belongs to the thread that these methods tell so: it is closed once.
 *
 * @param <T> the result
 */
@SuppressWarnings("UnusedVariable") // state is touched through its VarHandle alone
final class Outcome<T> {
  private static final int RUNNING = 0;
  private static final int ENDING = 1;
  private static final int ENDED = 2;
  private static final int DELIVERED = 3;
  private static final int CANCELLED = 4;

  private static final VarHandle STATE;

  static {
    try {
      STATE = MethodHandles.lookup().findVarHandle(Outcome.class, "state", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private int state;

  /** Null if the operation has failed, or has a call's null for its result. */
  private @Nullable T result;

  private @Nullable Throwable failure;

  // ---- The thread that does the work

  /**
   * The operation is over.
   *
   * @return true: the handler must be told; false: it was over before, the result is the caller's
   */
  boolean end(@Nullable T newResult, @Nullable Throwable newFailure) {
    if (!STATE.compareAndSet(this, RUNNING, ENDING)) {
      return false;
    }
    result = newResult;
    failure = newFailure;
    return STATE.compareAndSet(this, ENDING, ENDED); // publishes both
  }

  // ---- Color

  /** True: the handler must be called. */
  boolean deliver() {
    return STATE.compareAndSet(this, ENDED, DELIVERED);
  }

  // ---- Any thread

  /** Gives up what has not ended. True: the work is for nothing; its result is not there yet. */
  boolean cancelRunning() {
    return STATE.compareAndSet(this, RUNNING, CANCELLED)
        || STATE.compareAndSet(this, ENDING, CANCELLED);
  }

  /** Gives up what has ended and is not delivered. True: the {@link #result} is the caller's. */
  boolean cancelEnded() {
    return STATE.compareAndSet(this, ENDED, CANCELLED);
  }

  boolean isCancelled() {
    return (int) STATE.getVolatile(this) == CANCELLED;
  }

  boolean isDone() {
    return (int) STATE.getVolatile(this) >= ENDED;
  }

  /** Only for a thread that knows that it has ended. */
  @Nullable T result() {
    return result;
  }

  /** Only for a thread that knows that it has ended. */
  @Nullable Throwable failure() {
    return failure;
  }
}
