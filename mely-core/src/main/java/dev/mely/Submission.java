package dev.mely;

import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/** A task of {@link Mely#submit}, and the future of its result. */
record Submission<T>(Callable<? extends T> task, CompletableFuture<T> result) {
  /** To complete a future takes memory, of which there may be little: another try may find some. */
  private static final int TRIES = 3;

  /** Shared by all submitted tasks, as their cost is. */
  static final Handler<Submission<?>> HANDLER =
      new Handler<>(Work.MEASURED.inBackground()) {
        @Override
        public void handle(Submission<?> submission) {
          submission.run();
        }

        @Override
        protected void rejected(Submission<?> submission) {
          fail(submission.result, null);
        }

        @Override
        public String stage() {
          return "submitted tasks";
        }
      };

  Submission {
    Objects.requireNonNull(task, "task");
  }

  private void run() {
    if (result.isDone()) {
      return; // cancelled before its turn
    }
    T value;
    try {
      value = task.call();
    } catch (Throwable t) {
      fail(result, t);
      return;
    }
    result.complete(value);
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
}
