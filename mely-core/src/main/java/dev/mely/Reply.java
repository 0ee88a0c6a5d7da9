package dev.mely;

import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * An event of {@link Mely#submit(Color, Handler, Object)}, which tells a future when its handler
 * has returned. It has the user's own handler, so that the scheduler knows what it costs.
 */
final class Reply extends SpecialEvent {
  /** To complete a future takes memory, of which there may be little: another try may find some. */
  private static final int TRIES = 3;

  private final Object event;
  private final CompletableFuture<Void> result = new CompletableFuture<>();

  /**
   * Makes it pending, and the user's own {@link Event} if the handler is given one.
   *
   * @throws IllegalStateException if that event is pending already
   */
  Reply(Handler<?> handler, Object event) {
    super(Objects.requireNonNull(handler, "handler"));
    this.event = Objects.requireNonNull(event, "event");
    if (event instanceof Event own) {
      own.attach(handler);
    }
    attachAgain();
  }

  /** Completes when the event has been handled. */
  CompletableFuture<Void> result() {
    return result;
  }

  /** Marks the user's own event as not pending. */
  void detachOwn() {
    if (event instanceof Event own) {
      own.detach();
    }
  }

  @Override
  boolean takesRoom() {
    return !(event instanceof Event own) || own.takesRoom();
  }

  @Override
  boolean takesRoomInAll() {
    return takesRoom();
  }

  /** What its handler is given; null: its future was cancelled. */
  @Override
  @Nullable Object payload() {
    detachOwn();
    return result.isDone() ? null : event;
  }

  /** Its handler has returned. */
  void handled() {
    result.complete(null);
  }

  /**
   * @param cause what its handler has thrown; null: it was rejected
   */
  void fail(@Nullable Throwable cause) {
    fail(result, cause);
  }

  /**
   * Completes a future exceptionally.
   *
   * @param cause what the task has thrown; null: it was rejected
   */
  static void fail(CompletableFuture<?> result, @Nullable Throwable cause) {
    for (int i = 1; ; i++) {
      try {
        result.completeExceptionally(
            cause != null
                ? cause
                : new RejectedExecutionException("the event of the task was rejected"));
        return;
      } catch (Throwable t) {
        if (i == TRIES) {
          throw t;
        }
      }
    }
  }

  @Override
  protected Object subject() {
    return event;
  }
}
