package dev.mely;

import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;

/** A task of {@link Mely#submit}, and the future of its result. */
record Submission<T>(Callable<? extends T> task, CompletableFuture<T> result) {
  /** Shared by all submitted tasks, as their cost is. */
  static final Handler<Submission<?>> HANDLER =
      new Handler<>(Work.MEASURED.inBackground()) {
        @Override
        public void handle(Submission<?> submission) {
          submission.run();
        }

        @Override
        protected void rejected(Submission<?> submission) {
          Reply.fail(submission.result, null);
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
      Reply.fail(result, t);
      return;
    }
    result.complete(value);
  }
}
