package dev.mely.netty;

import dev.mely.netty.blocking.WorkerThreads;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A thread that counts as a worker, without a group: it does what a test says. */
public final class WorkerThread implements AutoCloseable {
  /** What a test does there. */
  public interface Body {
    void run() throws Exception;
  }

  private final ExecutorService executor;
  private volatile @Nullable Thread thread;

  public WorkerThread() {
    DefaultThreadFactory threads = new DefaultThreadFactory("worker");
    executor =
        Executors.newSingleThreadExecutor(
            body -> {
              Thread made = threads.newThread(body);
              WorkerThreads.add(made);
              thread = made;
              return made;
            });
  }

  public <T> T call(Callable<T> body) throws Exception {
    try {
      return executor.submit(body).get(Harness.PATIENCE_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof Error error) {
        throw error;
      }
      if (e.getCause() instanceof Exception exception) {
        throw exception;
      }
      throw e;
    }
  }

  public void run(Body body) throws Exception {
    Object unused =
        call(
            () -> {
              body.run();
              return "done";
            });
  }

  /** Waits for the thread's end. */
  @Override
  public void close() {
    executor.shutdown();
    Harness.await().until(() -> executor.isTerminated() && !isAlive());
  }

  private boolean isAlive() {
    Thread made = thread;
    return made != null && made.isAlive();
  }
}
