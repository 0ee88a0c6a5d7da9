package dev.mely.netty;

import io.netty.util.concurrent.ThreadAwareExecutor;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * The lock of one core's {@link io.netty.channel.IoHandler}, on which no thread blocks: a thread
 * that finds it taken leaves a task, and the holder runs that task before it leaves.
 *
 * <p>To the I/O handler this is the "executor thread": {@link #isExecutorThread} is true for the
 * thread that is inside. Mostly that is the core's worker, which polls. It may also be an idle
 * worker that polls for a core that is stuck, or a thread that registers a channel while no thread
 * polls. Tasks in here never wait and never run a channel's code.
 *
 * <p>All methods are thread-safe.
 */
final class PollSection implements ThreadAwareExecutor {
  /** How long a caller waits before it tries again to enter. */
  private static final long LOOK_MILLIS = 1;

  private static final VarHandle OWNER;

  static {
    try {
      OWNER = MethodHandles.lookup().findVarHandle(PollSection.class, "owner", Thread.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
  private final Runnable wakeup;

  /** False: one thread alone may enter, see {@link #bindTo}. */
  private final boolean transferable;

  /** The core's worker. */
  private volatile @Nullable Thread bound;

  /** The thread inside. Compare-and-set to enter, volatile store to leave. */
  private volatile @Nullable Thread owner;

  private volatile boolean closed;

  /**
   * @param transferable whether any thread may enter
   * @param wakeup makes the holder come back soon if it waits for I/O
   */
  PollSection(boolean transferable, Runnable wakeup) {
    this.transferable = transferable;
    this.wakeup = wakeup;
  }

  /** Names the core's worker: the one that may enter a section that is not transferable. */
  void bindTo(Thread thread) {
    bound = thread;
  }

  /** The same, unless there is one. */
  void bindIfUnbound(Thread thread) {
    if (bound == null) {
      bound = thread;
    }
  }

  boolean isTransferable() {
    return transferable;
  }

  /** Whether the thread is inside: exact for the caller, a snapshot for others. */
  @Override
  public boolean isExecutorThread(Thread thread) {
    return owner == thread;
  }

  /** Section: whether the caller is the core's worker. */
  boolean isEnteredByBound() {
    return owner == bound;
  }

  /** Enters if no thread is inside. Not reentrant. */
  boolean tryEnter() {
    Thread self = Thread.currentThread();
    return owner == null
        && (transferable || self == bound)
        && OWNER.compareAndSet(this, (Thread) null, self);
  }

  /**
   * Spins until it has entered. Holders leave soon, unless they poll; the caller must know that
   * none does.
   */
  void enter() {
    while (!tryEnter()) {
      Thread.onSpinWait();
    }
  }

  /** Runs the tasks that other threads have left, and leaves. */
  void exit() {
    do {
      runTasks();
      owner = null;
      // Dekker pattern: here the store to owner, then the look at the queue; in execute the store
      // to the queue, then the look at owner. All are volatile, so this thread sees the task or its
      // sender finds the section free.
    } while (!tasks.isEmpty() && tryEnter());
  }

  /** Section: runs the tasks that other threads have left. */
  void runTasks() {
    for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
      try {
        task.run();
      } catch (Throwable t) {
        // As a Netty event loop does: one failed task is no reason to stop polling.
        Log.warn("An I/O task failed", t);
      }
    }
  }

  /** If the I/O handler cannot be woken, its wait ends at its deadline. */
  private void wake() {
    try {
      wakeup.run();
    } catch (Throwable t) {
      Log.warn("An I/O handler could not be woken", t);
    }
  }

  boolean hasTasks() {
    return !tasks.isEmpty();
  }

  /**
   * Runs a task inside: now if the section is free, else soon, on the thread that is inside. Does
   * nothing if the section is closed: the I/O handler, which the task would have changed, is gone.
   */
  @Override
  public void execute(Runnable task) {
    if (closed) {
      return;
    }
    tasks.add(task);
    if (tryEnter()) {
      exit();
    } else if (owner != Thread.currentThread()) {
      wake();
    }
  }

  /**
   * Runs a task inside and returns its result. Waits for the thread inside, a few microseconds:
   * that one only polls, and a poll that waits is woken.
   *
   * @throws Exception what the task throws; {@link RejectedExecutionException} if the section is
   *     closed
   */
  <T> T call(Callable<T> task) throws Exception {
    if (owner == Thread.currentThread()) {
      return task.call();
    }
    if (!closed && tryEnter()) {
      try {
        return task.call();
      } finally {
        exit();
      }
    }
    FutureTask<T> future = new FutureTask<>(task);
    execute(future); // if the section is closed, await throws
    return await(future);
  }

  private <T> T await(FutureTask<T> future) throws Exception {
    boolean interrupted = false;
    try {
      while (true) {
        try {
          return future.get(LOOK_MILLIS, TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
          if (closed) {
            future.cancel(false);
            throw new RejectedExecutionException("event executor terminated", e);
          }
          wake();
          if (tryEnter()) {
            exit();
          }
        } catch (InterruptedException e) {
          interrupted = true; // set again for the caller when the task is done
        } catch (ExecutionException e) {
          if (e.getCause() instanceof Exception cause) {
            throw cause;
          }
          throw e;
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  boolean isClosed() {
    return closed;
  }

  /** Section: runs the last tasks and accepts no more. */
  void close() {
    closed = true;
    runTasks();
  }
}
